/** Runs a phase and shows how long it takes. */
export function showPhase<Result>(
  name: string,
  phase: () => Promise<Result>,
  output?: NodeJS.WritableStream & { readonly isTTY?: boolean },
): Promise<Result>;

/** Returns `1.6 s`, `58 s` or `2 min 5 s`. */
export function formatDuration(milliseconds: number): string;
