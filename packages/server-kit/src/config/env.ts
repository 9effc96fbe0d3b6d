import type { Environment } from "./environment.ts";

/** The variables this process was started with. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
