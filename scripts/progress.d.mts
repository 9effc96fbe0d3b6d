/** Runs a phase and shows how long it takes. */
export function showPhase<Result>(
  name: string,
  phase: () => Promise<Result>,
  output?: NodeJS.WritableStream & { readonly isTTY?: boolean },
): Promise<Result>;

/** Prints a line during a phase. */
export function printLine(
  line: string,
  output?: NodeJS.WritableStream & { readonly isTTY?: boolean },
): void;

/** Returns `1.6 s`, `58 s` or `2 min 5 s`. */
export function formatDuration(milliseconds: number): string;
