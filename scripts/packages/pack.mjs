import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rootDirectory } from "../workspace.mjs";

const MAX_OUTPUT_BYTES = 10_000_000;

/** Runs npm without showing its output. Rejects with that output if it fails. */
export async function npm(args, options = {}) {
  const windows = process.platform === "win32";
  try {
    const { stdout } = await promisify(execFile)(windows ? "npm.cmd" : "npm", args, {
      shell: windows,
      maxBuffer: MAX_OUTPUT_BYTES,
      ...options,
    });
    return stdout;
  } catch (error) {
    throw new Error(`npm ${args.join(" ")} failed:\n${error.stderr || error.message}`, {
      cause: error,
    });
  }
}

/** Packs all packages that are published. Returns name, tarball, files and sizes in bytes of each. */
export async function packPackages(destination) {
  const workspaces = (await listPublished()).map((workspace) => `--workspace=${workspace}`);
  const args = ["pack", ...workspaces, "--ignore-scripts", "--json", "--pack-destination"];
  const packed = JSON.parse(await npm([...args, destination], { cwd: rootDirectory }));
  // npm 10 returns a list, npm 11 in some versions an object with the names as keys.
  return Object.values(packed).map(({ name, filename, files, size, unpackedSize }) => ({
    name,
    tarball: join(destination, filename),
    files: files.map(({ path }) => path),
    size,
    unpackedSize,
  }));
}

/** Returns the folders of the packages that are not private, in the order of their dependencies. */
export async function listPublished() {
  const { workspaces } = await readManifest(".");
  const manifests = await Promise.all(workspaces.map(readManifest));
  return workspaces.filter((_, index) => manifests[index].private !== true);
}

async function readManifest(folder) {
  return JSON.parse(await readFile(join(rootDirectory, folder, "package.json"), "utf8"));
}
