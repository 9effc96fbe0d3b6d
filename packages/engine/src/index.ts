export { compileInSteps, compileSnapshot } from "./compile/compile-snapshot.ts";
export type { CompileOptions } from "./compile/compile-snapshot.ts";
export { isAddressOrRange } from "./constraints/address-text.ts";
export { isListKind, isOperatorName, OPERATORS } from "./constraints/operator-table.ts";
export type { OperatorDescription, OperatorName, ValueKind } from "./constraints/operator-table.ts";
export { estimatePatternSize } from "./constraints/pattern-size.ts";
export type { Context } from "./context.ts";
export { applyDelta, parseEventId } from "./definitions/delta.ts";
export type { FeaturesState } from "./definitions/delta.ts";
export { DeltaLog } from "./definitions/delta-log.ts";
export type { DeltaMessage, FeatureText, SegmentText } from "./definitions/delta-log.ts";
export {
  ClientSpecError,
  inlineSegments,
  MAX_INLINED_LENGTH,
  mustInlineSegments,
} from "./definitions/inline-segments.ts";
export { readsSessionId } from "./evaluate/context-fields.ts";
export type { ContextDependencies } from "./evaluate/context-fields.ts";
export { explain } from "./explain/explain.ts";
export type {
  AbbreviatedList,
  ActivationExplanation,
  ConstraintExplanation,
  DependencyExplanation,
  Explanation,
  ListExplanation,
  ParentResult,
  RolloutExplanation,
  SegmentExplanation,
  StrategyExplanation,
  VariantExplanation,
  WeightedVariant,
} from "./explain/explanation.ts";
export { isName, isReportedName, MAX_NAME_LENGTH, NAME_PATTERN, toReportedName } from "./names.ts";
export type { Outcome, Payload, Reason, SelectedVariant } from "./outcome.ts";
export { checkNesting } from "./parse/check-nesting.ts";
export { DocumentError, isRecord } from "./parse/json.ts";
export type { Diagnostic } from "./parse/diagnostics.ts";
export type { FeatureDocument } from "./parse/model.ts";
export { parseDocument, parseInSteps } from "./parse/parse-document.ts";
export type { CompiledFlag, Evaluation, Snapshot, SnapshotOrigin } from "./snapshot.ts";
export { runToEnd } from "./steps.ts";
export type { Steps } from "./steps.ts";
export { checkParameters, toPercentage } from "./strategies/check-parameters.ts";
export type { ParameterProblem } from "./strategies/check-parameters.ts";
export type { CustomStrategy, ReportStrategyError, StrategyError } from "./strategies/custom.ts";
export {
  BUILT_IN_STRATEGY_NAMES,
  findStrategyType,
  STRATEGY_TYPES,
} from "./strategies/strategy-table.ts";
export type { StrategyDescription, StrategyName } from "./strategies/strategy-table.ts";
