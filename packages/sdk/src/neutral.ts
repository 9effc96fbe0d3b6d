// The entry `flags-sdk/neutral`: what flags-proxy needs of the client on every JavaScript runtime. Of Node it uses at most
// `crypto` and `Buffer`. It may change in every version.

// Flags.
export type { FlagsClientEvents } from "./events.ts";
export { Emitter, toEventSink } from "./events.ts";
export { Compiler } from "./sync/compiler.ts";
export { convertDocuments } from "./sync/synchronizer.ts";
export { createDocumentFilter } from "./sync/filter-documents.ts";
export { FlagState } from "./sync/flag-state.ts";
export { FlagUpdater } from "./sync/flag-updater.ts";
export { HoldBack } from "./sync/hold-back.ts";
export { pollOnce } from "./sync/poll-once.ts";
export { Revisions } from "./sync/revision.ts";
export type { SyncSink } from "./sync/synchronizer.ts";
export { SourceEvents, UpdatedFlags } from "./sync/updated-flags.ts";

// Flags as clients read them, and usage.
export { toClientContext, withSessionId } from "./rendering/client-context.ts";
export { DIGEST_WORDS, digestOf, digestOfFrame, toEntityTag } from "./rendering/entity-tag.ts";
export type { ListFrame } from "./rendering/entity-tag.ts";
export { OFREP_FRAME, OFREP_REASONS, toOfrepEvaluation } from "./rendering/ofrep.ts";
export type { OfrepFailure, OfrepValues } from "./rendering/ofrep.ts";
export { serializeForScript } from "./rendering/serialize-for-script.ts";
export { Strategy } from "./evaluation/strategy.ts";
export { PageFlags } from "./rendering/page-flags.ts";
export type { FlagUse } from "./rendering/page-flags.ts";
export { toClientVariant, toToggle, UNKNOWN_FLAG } from "./rendering/toggles.ts";
export type { ClientVariant } from "./rendering/toggles.ts";
export { EvaluationCounts } from "./usage/evaluation-counts.ts";

// Calls to an upstream.
export { createIdentity } from "./identity.ts";
export type { Identity } from "./identity.ts";
export type { Settings } from "./options/resolve-options.ts";
export { toBaseUrl } from "./transport/base-url.ts";
export { AGE_HEADER, writeAge, writeAgeComment } from "./transport/confirmation.ts";
export { abortable, Deadline } from "./transport/deadline.ts";
export { FailureLog } from "./transport/failure-log.ts";
export type { EventSink } from "./transport/failure-log.ts";
export { toHeaderMap } from "./transport/headers.ts";
export { HttpClient } from "./transport/http-client.ts";
export type { Connections, UpstreamRequest, UpstreamResponse } from "./transport/http-client.ts";
export { isNotOffered } from "./transport/status-error.ts";
export type { StatusHints } from "./transport/status-error.ts";
export { UpstreamApi } from "./transport/upstream-api.ts";
export type { FeatureFilters } from "./transport/upstream-api.ts";
export {
  describeCause,
  describeUrl,
  FORWARD_PROXY_CODE,
  toUpstreamError,
  UNKNOWN_ISSUER_CODES,
  UpstreamError,
} from "./transport/upstream-error.ts";
export { readJson } from "./transport/read-json.ts";
export { toMetricsBody } from "./transport/wire-bodies.ts";

// Time and names.
export { describeCount } from "./describe-count.ts";
export { nextDelayMs } from "./scheduling/backoff.ts";
export { forEachConcurrently } from "./scheduling/for-each-concurrently.ts";
export { TimeSlicer } from "./scheduling/time-slicer.ts";
