import { Counter, Gauge, type Registry } from "prom-client";
import type { StreamCounts } from "./stream-limits.ts";

/** Metrics of the streams to clients. */
export interface PushMetrics {
  readonly opened: Counter;
  readonly refused: Counter;
  readonly dropped: Counter;
  readonly events: Counter;
}

const PREFIX = "flags_proxy_push";

/** Creates the metrics of the streams to clients. */
export function createPushMetrics(
  registry: Registry,
  counts: Pick<StreamCounts, "streams" | "bytes">,
): PushMetrics {
  const registers = [registry];
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `${PREFIX}_${name}_total`, help, registers });
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name: `${PREFIX}_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

  gauge("streams", "Open streams to clients", () => counts.streams);
  gauge(
    "context_bytes",
    "Memory that open streams take for their contexts, in bytes",
    () => counts.bytes,
  );
  return {
    opened: counter("streams_opened", "Streams to clients that were opened"),
    refused: counter("streams_refused", "Streams that were refused because a limit was reached"),
    dropped: counter(
      "streams_dropped",
      "Streams that were cut because their client had stopped reading",
    ),
    events: counter("events", "Events that were sent on streams to clients"),
  };
}
