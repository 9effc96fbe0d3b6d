export type { Context } from "./context.ts";
export type { Outcome, Payload, Reason, SelectedVariant } from "./outcome.ts";
export type { Diagnostic } from "./parse/diagnostic.ts";
export type { CompiledFeature, Relevance, Snapshot } from "./snapshot.ts";
