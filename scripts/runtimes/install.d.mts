/** The folder of the examples. */
export const EXAMPLES: string;

/** Returns the path of a program. Throws if it is not installed. */
export function findProgram(
  name: "next" | "wrangler" | "workerd" | "deno" | "bun" | "node",
): string;
