import type { Script } from "node:vm";

/** The bundle of a command: a script with the program and its dependencies, and its code cache. */
export interface Bundle {
  /** Path of the script. */
  readonly file: string;
  /** Path of the code cache, which may be missing. */
  readonly codeCacheFile: string;
  compile(): Script;
  /** Runs the compiled script, and returns its exports. */
  run(script: Script): unknown;
  /** Returns the content of the code cache file. */
  packCodeCache(code: Buffer): Buffer;
  /** Compiles and runs the script, and returns its exports. */
  load(): unknown;
}

/**
 * Describes the bundle of a command.
 *
 * @param url `file:` URL of the script
 * @param importModule `import()` of the package of the command, whose dependencies the bundle imports
 */
export function describeBundle(url: URL, importModule: (name: string) => Promise<unknown>): Bundle;
