import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Tools that were downloaded for tests are kept here. */
const CACHE = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "flags-deployment-tools",
);

/** Runs a program and returns its standard output. Rejects with its standard error. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { stdout } = await execute(program, args, { maxBuffer: 64 * 1024 * 1024, ...options });
  return stdout;
}

/** Returns the path of a program, or undefined if it is not in the PATH. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const directory of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(directory, name);
    if (await exists(path)) return path;
  }
  return undefined;
}

/**
 * Returns the directory of a tool, which is filled if it does not exist. Several processes can do that at
 * the same time.
 */
export async function cacheTool(
  name: string,
  fill: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = join(CACHE, name);
  if (await exists(directory)) return directory;
  await mkdir(CACHE, { recursive: true });
  const started = performance.now();
  const incomplete = await mkdtemp(`${directory}-`);
  try {
    await fill(incomplete);
    await rename(incomplete, directory).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await exists(directory))) throw error;
    });
  } finally {
    await rm(incomplete, { recursive: true, force: true });
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`Installed ${name} in ${seconds} s\n`);
  return directory;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
