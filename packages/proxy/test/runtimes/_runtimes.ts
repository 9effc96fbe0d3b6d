import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RuntimeName, startProgram } from "../../../../scripts/runtimes/start-program.mjs";
import type { FetchAppOptions } from "../../src/fetch/index.ts";
import type { CleanUp } from "../_command.ts";

export { RUNTIMES } from "../../../../scripts/runtimes/start-program.mjs";

/** Starts a program that only calls `createFetchApp()` on a runtime. Returns its address. */
export async function serveOn(
  runtime: RuntimeName,
  appOptions: FetchAppOptions,
  cleanUp: CleanUp,
): Promise<string> {
  const directory = await createDirectory(cleanUp);
  const { url, command } = await startProgram(runtime, { appOptions, directory });
  cleanUp(() => command.stop());
  return url;
}

export async function createDirectory(cleanUp: CleanUp): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-runtime-"));
  cleanUp(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
