import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { satisfies } from "semver";
import { rootDirectory } from "../workspace.mjs";
import { npm } from "./pack.mjs";

const FIXTURES = fileURLToPath(new URL("consumer", import.meta.url));

/** The oldest supported version of each major version of Node. */
const NODE_VERSIONS = ["20.19.0", "22.12.0", "24.0.0"];

/** What the programs in `consumer` import besides the packages. */
const FURTHER_DEPENDENCIES = ["@types/node", "unleash-proxy-client"];

/**
 * Creates a project that depends on the tarballs and nothing of this workspace, as users do: without its
 * lock file and overrides. Fails if a dependency does not support this version of Node.
 */
export async function createConsumer(directory, packages) {
  await mkdir(directory);
  await cp(FIXTURES, directory, { recursive: true });
  await writeFile(join(directory, "package.json"), JSON.stringify({ private: true }));
  const { devDependencies } = await readJson(join(rootDirectory, "package.json"));
  const further = FURTHER_DEPENDENCIES.map((name) => `${name}@${devDependencies[name]}`);
  const options = ["--engine-strict", "--prefer-offline", "--no-audit", "--no-fund"];
  const tarballs = packages.map(({ tarball }) => tarball);
  await npm(["install", ...options, ...tarballs, ...further], { cwd: directory });
}

/** Returns the number of installed dependencies, and those that npm or a supported Node version rejects. */
export async function checkInstalled(directory) {
  const { packages } = await readJson(join(directory, "node_modules/.package-lock.json"));
  const problems = Object.entries(packages).flatMap(
    ([path, { version, engines, hasInstallScript }]) => {
      const rejected = NODE_VERSIONS.filter((node) => !satisfies(node, engines?.node ?? "*"));
      return [
        ...(hasInstallScript ? [`${path} ${version} has an install script, which npm blocks`] : []),
        ...rejected.map((node) => `${path} ${version} does not support Node ${node}`),
      ];
    },
  );
  return { count: Object.keys(packages).length, problems };
}

async function readJson(file) {
  return JSON.parse(await readFile(file, "utf8"));
}
