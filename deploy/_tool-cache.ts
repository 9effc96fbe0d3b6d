import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Tools that were downloaded for tests are kept here. */
const CACHE = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "flags-deployment-tools",
);

/** No download takes that long. */
const ABANDONED_AFTER_MS = 5 * 60_000;

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

/** Returns the directory of a tool, which is filled if it does not exist. */
export async function cacheTool(
  name: string,
  fill: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = join(CACHE, name);
  await mkdir(CACHE, { recursive: true });
  // Tests run in several processes: the first one downloads, the others wait.
  const lock = `${directory}.lock`;
  while (!(await exists(directory))) {
    if (await acquire(lock)) {
      try {
        if (!(await exists(directory))) await fillDirectory(directory, fill);
      } finally {
        await rm(lock, { recursive: true, force: true });
      }
    } else {
      await setTimeout(200);
    }
  }
  return directory;
}

async function fillDirectory(
  directory: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const incomplete = await mkdtemp(`${directory}-`);
  try {
    await fill(incomplete);
    await rename(incomplete, directory);
  } finally {
    await rm(incomplete, { recursive: true, force: true });
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`Installed ${basename(directory)} in ${seconds} s\n`);
}

/** Creates a lock, or replaces one whose process was killed. */
async function acquire(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const created = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - created > ABANDONED_AFTER_MS) await rm(lock, { recursive: true, force: true });
    return false;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
