// The entry `flags-server-kit/http`: servers. Apart from the main one because `--help` does not need it.
export { chooseCoding, CodedBody, COMPRESSION_THRESHOLD_BYTES } from "./http/compression.ts";
export type { ContentCoding } from "./http/compression.ts";
export { ConnectionGuard, hasBody } from "./http/connection-guard.ts";
export { createGuardedServer, createLimitedServer } from "./http/guarded-server.ts";
export type { CreateServer } from "./http/guarded-server.ts";
export {
  createRegistry,
  createRequestMetrics,
  MetricSet,
  observeConnections,
} from "./http/metrics.ts";
export type { ObserveRequest, RequestMetrics } from "./http/metrics.ts";
export { createHostCheck } from "./http/host-check.ts";
export type { HostCheck } from "./http/host-check.ts";
export { createClientErrorHandler } from "./http/client-errors.ts";
export { onStopping } from "./http/shut-down.ts";
export { toTrustOption } from "./config/trust-proxy.ts";
export type { TrustFunction } from "./config/trust-proxy.ts";
export { runInTrace } from "./run-in-trace.ts";
export { DeltaHub, DeltaStream } from "./streams/delta-stream.ts";
export type { DeltaFeed, DeltaHubOptions } from "./streams/delta-stream.ts";
export { EventStream } from "./streams/event-stream.ts";
export { repeat, StreamHub } from "./streams/stream-hub.ts";
export { observeClosedStreams } from "./streams/stream-metrics.ts";
export type { ClosedStreams, HubStream, StreamHubOptions } from "./streams/stream-hub.ts";
