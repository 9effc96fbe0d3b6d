export { limitBodyMemory } from "./http/body-budget.ts";
export {
  BROTLI_QUALITY,
  CodedBody,
  CODINGS,
  CodingChoice,
  compress,
  COMPRESSION_THRESHOLD_BYTES,
  GZIP_LEVEL,
} from "./http/content-coding.ts";
export type { ContentCoding } from "./http/content-coding.ts";
export { createClientErrorHandler } from "./http/client-error.ts";
export type { ClientErrorHandler, ClientFailure } from "./http/client-error.ts";
export { ConnectionGuard } from "./http/connection-guard.ts";
export type {
  CloseReason,
  ConnectionGuardOptions,
  ConnectionTimes,
} from "./http/connection-guard.ts";
export { observeConnections } from "./http/connection-metrics.ts";
export { createGuardedServer } from "./http/http-server.ts";
export { isNamedBy } from "./http/entity-tag.ts";
export { EventStream, writeEvent } from "./http/event-stream.ts";
export { sharedEvent } from "./http/shared-event.ts";
export type { StreamEvent } from "./http/event-stream.ts";
export { explainFrameworkFailure, NOT_JSON } from "./http/framework-failure.ts";
export type { FrameworkFailure } from "./http/framework-failure.ts";
export { registerOpenApi } from "./http/openapi.ts";
export { describeRepeatedHeader, findRepeatedHeader } from "./http/repeated-header.ts";
export { createRegistry, createRequestObserver, observeRequests } from "./http/request-metrics.ts";
export type { ObserveRequest } from "./http/request-metrics.ts";
export type { ObservedRequest } from "./http/request-tally.ts";
export { sendConditional } from "./http/send-conditional.ts";
export { BODY_LIMIT_BYTES, SERVER_DEFAULTS } from "./http/server-defaults.ts";
export { toTrustOption } from "./http/trust-proxy.ts";
export type { TrustFunction } from "./http/trust-proxy.ts";
export type { TypedApp } from "./http/typed-app.ts";
