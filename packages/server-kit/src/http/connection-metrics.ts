import { Counter, Gauge, type Registry } from "prom-client";
import type { ConnectionGuard } from "./connection-guard.ts";

/** Adds metrics of open connections to a registry. */
export function observeConnections(
  registry: Registry,
  prefix: string,
  guard: Pick<ConnectionGuard, "size" | "maxConnections" | "closed">,
): void {
  const metrics = [
    new Gauge({
      name: `${prefix}_connections`,
      help: "Open connections",
      registers: [],
      collect() {
        this.set(guard.size);
      },
    }),
    new Gauge({
      name: `${prefix}_connections_max`,
      help: "Connections that may be open at a time",
      registers: [],
      collect() {
        this.set(guard.maxConnections);
      },
    }),
    new Counter({
      name: `${prefix}_connections_closed_total`,
      help:
        "Connections closed by the server: new ones at the limit (limit), idle ones to accept " +
        "others (idle), responses that were not read in time (slow_reader), connections without " +
        "requests whose peer kept sending bytes (keep_alive), too many pipelined requests (pipelining)",
      labelNames: ["reason"],
      registers: [],
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(guard.closed)) this.inc({ reason }, count);
      },
    }),
  ];
  for (const metric of metrics) registry.registerMetric(metric);
}
