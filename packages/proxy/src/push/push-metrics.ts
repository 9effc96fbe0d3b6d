import { Counter, Gauge, type Registry } from "prom-client";

/** What the proxy counts of its streams to clients. */
export interface PushMetrics {
  readonly open: Gauge;
  readonly opened: Counter;
  readonly refused: Counter;
  readonly dropped: Counter;
  readonly events: Counter;
}

const PREFIX = "flags_proxy_push";

/** Creates the metrics of streams to clients. */
export function createPushMetrics(registry: Registry, countOpen: () => number): PushMetrics {
  const registers = [registry];
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `${PREFIX}_${name}_total`, help, registers });

  const open = new Gauge({
    name: `${PREFIX}_streams`,
    help: "Streams to clients that are open",
    registers,
    collect() {
      this.set(countOpen());
    },
  });
  return {
    open,
    opened: counter("streams_opened", "Streams to clients that were opened"),
    refused: counter("streams_refused", "Streams that were refused as too many were open"),
    dropped: counter("streams_dropped", "Streams that were cut as their reader took nothing"),
    events: counter("events", "Answers that were sent on streams to clients"),
  };
}
