// The entry `flags-server-kit/http`, apart from the main one because Fastify loads slowly and
// `--help` does not need it.
export { createAccessCheck } from "./http/access-list.ts";
export { AttemptLimiter, AUTHENTICATION_LIMITS, networkOf } from "./http/attempt-limiter.ts";
export { compressResponses } from "./http/compress-responses.ts";
export { CodedBody, CodingChoice, COMPRESSION_THRESHOLD_BYTES } from "./http/compression.ts";
export type { ContentCoding } from "./http/compression.ts";
export { matchesEntityTag, sendConditional } from "./http/conditional-request.ts";
export { ConnectionGuard } from "./http/connection-guard.ts";
export {
  SERVER_DEFAULTS,
  SMALL_BODY_BYTES,
  VALIDATION_BODY_LIMIT_BYTES,
} from "./http/server-defaults.ts";
export type { TypedApp } from "./http/server-defaults.ts";
export { createForwardingServer, createGuardedServer } from "./http/guarded-server.ts";
export { GuessLimiter, MAX_VALIDATED_TOKENS, VALIDATION_LIMITS } from "./http/guess-limiter.ts";
export type { GuessProblem } from "./http/guess-limiter.ts";
export {
  createGauge,
  createLabelledCounter,
  createLabelledGauge,
  createRegistry,
  createRequestMetrics,
  observeConnections,
  observeRequests,
} from "./http/metrics.ts";
export type { ObserveRequest, RequestMetrics } from "./http/metrics.ts";
export { createHostCheck } from "./http/host-check.ts";
export type { HostCheck } from "./http/host-check.ts";
export { registerOpenApi } from "./http/openapi.ts";
export { completeOperations, nameSchemas, OPTIONAL_BODY } from "./http/openapi-document.ts";
export { hasBody } from "./http/pipeline.ts";
export { configureRoutes, protectRoutes, toPathPattern } from "./http/protect-routes.ts";
export {
  claimBodyMemory,
  isBodyRead,
  limitBodyMemory,
  releaseRequest,
  releaseRequests,
} from "./http/request-memory.ts";
export { describeRepeatedHeader, findRepeatedHeader } from "./http/repeated-header.ts";
export {
  createClientErrorHandler,
  explainFrameworkFailure,
  NOT_JSON,
} from "./http/request-errors.ts";
export type { FrameworkFailure } from "./http/request-errors.ts";
export { coalesceReadings } from "./http/coalesce-readings.ts";
export { onStopping } from "./http/shut-down.ts";
export { TlsFiles } from "./http/tls-files.ts";
export type { TlsMaterial } from "./http/tls-files.ts";
export { TokenBucket } from "./http/token-bucket.ts";
export { toTrustOption } from "./config/trust-proxy.ts";
export type { TrustFunction } from "./config/trust-proxy.ts";
export { runInTrace, traceRequests } from "./trace-requests.ts";
export { DeltaHub, DeltaStream } from "./streams/delta-stream.ts";
export type { DeltaFeed, DeltaHubOptions } from "./streams/delta-stream.ts";
export { EventStream, writeEvent } from "./streams/event-stream.ts";
export { acceptsGzip } from "./streams/gzip-stream.ts";
export { repeat, StreamHub } from "./streams/stream-hub.ts";
export { observeClosedStreams } from "./streams/stream-metrics.ts";
export type { ClosedStreams, HubStream, StreamHubOptions } from "./streams/stream-hub.ts";
