// The entry `flags-server-kit/http`: servers. Apart from the main one because `--help` does not need it.
export { createAccessCheck } from "./http/access-list.ts";
export { AttemptLimiter, AUTHENTICATION_LIMITS, networkOf } from "./http/attempt-limiter.ts";
export { CodedBody, CodingChoice, COMPRESSION_THRESHOLD_BYTES } from "./http/compression.ts";
export type { ContentCoding } from "./http/compression.ts";
export { matchesEntityTag } from "./http/entity-tag.ts";
export { ConnectionGuard } from "./http/connection-guard.ts";
export {
  BODY_LIMIT_BYTES,
  SMALL_BODY_BYTES,
  VALIDATION_BODY_LIMIT_BYTES,
} from "./http/server-defaults.ts";
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
} from "./http/metrics.ts";
export type { ObserveRequest, RequestMetrics } from "./http/metrics.ts";
export { createHostCheck } from "./http/host-check.ts";
export type { HostCheck } from "./http/host-check.ts";
export { hasBody } from "./http/pipeline.ts";
export { describeRepeatedHeader, findRepeatedHeader } from "./http/repeated-header.ts";
export { createClientErrorHandler } from "./http/client-errors.ts";
export { coalesceReadings } from "./http/coalesce-readings.ts";
export { onStopping } from "./http/shut-down.ts";
export { TlsFiles } from "./http/tls-files.ts";
export type { TlsMaterial } from "./http/tls-files.ts";
export { TokenBucket } from "./http/token-bucket.ts";
export { toTrustOption } from "./config/trust-proxy.ts";
export type { TrustFunction } from "./config/trust-proxy.ts";
export { runInTrace } from "./run-in-trace.ts";
export { DeltaHub, DeltaStream } from "./streams/delta-stream.ts";
export type { DeltaFeed, DeltaHubOptions } from "./streams/delta-stream.ts";
export { EventStream, writeEvent } from "./streams/event-stream.ts";
export { acceptsGzip } from "./streams/gzip-stream.ts";
export { repeat, StreamHub } from "./streams/stream-hub.ts";
export { observeClosedStreams } from "./streams/stream-metrics.ts";
export type { ClosedStreams, HubStream, StreamHubOptions } from "./streams/stream-hub.ts";
