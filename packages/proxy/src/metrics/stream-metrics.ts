import { type ClosedStreams, observeClosedStreams } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import { METRICS_PREFIX, proxyMetrics } from "./metric-set.ts";

export type FlagStreamMetrics = ReturnType<typeof observeFlagStreams>;

export function observeFlagStreams(
  registry: Registry,
  streams: { readonly size: number; readonly bytes: number; readonly closed: ClosedStreams },
) {
  const metrics = proxyMetrics(registry);
  metrics.gauge("push_streams", "Open streams to clients", [], () => streams.size);
  metrics.gauge(
    "push_context_bytes",
    "Memory for the contexts of open streams, in bytes",
    [],
    () => streams.bytes,
  );
  metrics.readCounter(
    "push_streams_dropped_total",
    "Streams that were closed because the client had stopped reading",
    [],
    () => streams.closed.stalled,
  );
  observeClosedStreams(registry, `${METRICS_PREFIX}_push_streams`, streams);
  return {
    opened: metrics.counter("push_streams_opened_total", "Streams to clients that were opened"),
    refused: metrics.counter(
      "push_streams_refused_total",
      "Streams that were rejected because a limit was reached",
    ),
    events: metrics.counter("push_events_total", "Events that were sent on streams to clients"),
  };
}

export function observeDefinitionsStreams(
  registry: Registry,
  streams: { readonly size: number; readonly closed: ClosedStreams },
): void {
  proxyMetrics(registry).gauge(
    "definition_streams",
    "Open streams of definitions to server SDKs and other proxies",
    [],
    () => streams.size,
  );
  observeClosedStreams(registry, `${METRICS_PREFIX}_definition_streams`, streams);
}
