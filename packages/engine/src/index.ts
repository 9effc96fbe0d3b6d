export { supportsSegments } from "./client-spec.ts";
export { compileInSteps, compileSnapshot } from "./compile/compile-snapshot.ts";
export type { CompileOptions } from "./compile/compile-snapshot.ts";
export type { Context } from "./context.ts";
export { applyDelta } from "./delta/apply-delta.ts";
export type { FeaturesState } from "./delta/apply-delta.ts";
export { ChangeLog } from "./delta/change-log.ts";
export type { Differences, LogStart, Step } from "./delta/change-log.ts";
export {
  featureRemoved,
  featureUpdated,
  segmentRemoved,
  segmentUpdated,
  writeChanges,
  writeHydration,
} from "./delta/delta-message.ts";
export type { Change, DeltaMessage, FeatureText, SegmentText } from "./delta/delta-message.ts";
export { parseEventId } from "./delta/parse-event-id.ts";
export { inlineSegments } from "./inline-segments.ts";
export type { Outcome, Payload, Reason, SelectedVariant } from "./outcome.ts";
export type { Diagnostic } from "./parse/diagnostic.ts";
export type { FeatureDocument } from "./parse/model.ts";
export { DocumentError, parseDocument, parseInSteps } from "./parse/parse-document.ts";
export type { CompiledFlag, Evaluation, ContextDependencies, Snapshot } from "./snapshot.ts";
export { complete } from "./steps.ts";
export type { Steps } from "./steps.ts";
export type { CustomStrategy, ReportStrategyError, StrategyError } from "./strategies/custom.ts";
export { BUILT_IN_STRATEGY_NAMES } from "./strategies/registry.ts";
