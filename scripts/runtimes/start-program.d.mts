export type RuntimeName = "workers" | "deno" | "bun";

/** The runtimes whose servers call the handler themselves. */
export const RUNTIMES: readonly RuntimeName[];

export interface Started {
  /** Without a slash at the end. */
  readonly url: string;
  readonly command: {
    readonly output: () => string;
    readonly stop: () => Promise<void>;
    /** Ends it, and what it has started, without a warning. */
    readonly kill: () => Promise<void>;
  };
}

/** Starts a program that only calls `createFetchApp()`. Resolves when it listens. */
export function startProgram(
  runtime: RuntimeName,
  options: {
    /** The options of `createFetchApp()` that JSON can contain. */
    readonly appOptions: object;
    /** Where files can be written. */
    readonly directory: string;
    /** @default any free one */
    readonly port?: number;
  },
): Promise<Started>;
