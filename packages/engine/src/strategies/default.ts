import type { ActivationStrategy } from "./strategy.ts";

/** On for everybody. */
export const everybody: ActivationStrategy = () => ({ condition: true, reason: "STATIC" });
