import {
  type ClosedStreams,
  createGauge,
  createLabelledCounter,
  observeClosedStreams,
} from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";
import { METRICS_PREFIX } from "./prefix.ts";

/** Counts what happens to streams to clients. */
export interface FlagStreamMetrics {
  readonly opened: Counter;
  readonly refused: Counter;
  readonly events: Counter;
}

/** Exports the number and memory of streams to clients, and counts what happens to them. */
export function observeFlagStreams(
  registry: Registry,
  streams: { readonly size: number; readonly bytes: number; readonly closed: ClosedStreams },
): FlagStreamMetrics {
  const prefix = `${METRICS_PREFIX}_push`;
  const registers = [registry];
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `${prefix}_${name}_total`, help, registers });

  createGauge(registry, {
    name: `${prefix}_streams`,
    help: "Open streams to clients",
    read: () => streams.size,
  });
  createGauge(registry, {
    name: `${prefix}_context_bytes`,
    help: "Memory for the contexts of open streams, in bytes",
    read: () => streams.bytes,
  });
  createLabelledCounter(registry, {
    name: `${prefix}_streams_dropped_total`,
    help: "Streams that were closed because the client had stopped reading",
    labelNames: [],
    read: () => [{ labels: {}, value: streams.closed.stalled }],
  });
  observeClosedStreams(registry, `${prefix}_streams`, streams);
  return {
    opened: counter("streams_opened", "Streams to clients that were opened"),
    refused: counter("streams_refused", "Streams that were rejected because a limit was reached"),
    events: counter("events", "Events that were sent on streams to clients"),
  };
}

/** Exports the number of streams of definitions. */
export function observeDefinitionsStreams(
  registry: Registry,
  streams: { readonly size: number; readonly closed: ClosedStreams },
): void {
  createGauge(registry, {
    name: `${METRICS_PREFIX}_definition_streams`,
    help: "Open streams of definitions to server SDKs and other proxies",
    read: () => streams.size,
  });
  observeClosedStreams(registry, `${METRICS_PREFIX}_definition_streams`, streams);
}
