import type { Started } from "./start-program.mjs";

export type ExampleName = "workers" | "workers-kv" | "deno" | "bun" | "express" | "hono" | "nextjs";

/** Starts an example with environment variables. Resolves when it listens. */
export function startExample(
  name: ExampleName,
  options: {
    readonly environment: Readonly<Record<string, string>>;
    /** Where the example keeps what survives a restart. */
    readonly stateDirectory: string;
    /** @default any free one */
    readonly port?: number;
  },
): Promise<Started>;
