import type { SpawnOptions } from "node:child_process";

/** Runs a command to its end. Throws an error with its output if it fails or takes too long. */
export function runCommand(
  argv: readonly string[],
  options?: SpawnOptions & { readonly timeoutSeconds?: number },
): Promise<unknown>;
