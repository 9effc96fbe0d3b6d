import {
  createGauge,
  createRegistry,
  createRequestMetrics,
  type RequestMetrics,
  type TlsFiles,
} from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";
import type { FlagUsage } from "./usage/flag-usage.ts";

/** Counters of usage reports. */
export interface UsageMetrics {
  readonly usageEntries: Counter;
  readonly usageInvalid: Counter;
  readonly usageRefused: Counter;
  readonly usageDropped: Counter<"kind">;
  /** Counts the usage of each flag. @default not counted */
  readonly flagUsage?: FlagUsage | undefined;
}

/** The metrics of one app, in a separate registry. */
export interface Metrics extends UsageMetrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  /** Returns all metrics in the Prometheus text format; with workers, those of all processes. */
  readonly read: () => Promise<string>;
}

/** Prefix of the names of the proxy's own metrics. */
export const METRICS_PREFIX = "flags_proxy";

/** Creates the metrics of one app. */
export function createMetrics(): Metrics {
  const registry = createRegistry(METRICS_PREFIX, "the proxy");
  return {
    registry,
    read: () => registry.metrics(),
    requests: createRequestMetrics(registry, METRICS_PREFIX),
    usageEntries: new Counter({
      name: `${METRICS_PREFIX}_usage_entries_total`,
      help: "Toggles in accepted usage reports, which are or will be sent upstream",
      registers: [registry],
    }),
    usageInvalid: new Counter({
      name: `${METRICS_PREFIX}_usage_invalid_total`,
      help: "Invalid entries of bulk reports, which were ignored",
      registers: [registry],
    }),
    usageRefused: new Counter({
      name: `${METRICS_PREFIX}_usage_refused_total`,
      help: "Usage reports that were rejected because too much usage of the same key was waiting to be sent upstream",
      registers: [registry],
    }),
    usageDropped: new Counter({
      name: `${METRICS_PREFIX}_usage_dropped_total`,
      help: "Parts of usage reports that were not sent upstream, because of a limit or because the key or the upstream does not accept them",
      labelNames: ["kind"],
      registers: [registry],
    }),
  };
}

/** Exports when the certificate of the TLS port expires. */
export function observeCertificate(registry: Registry, tls: Pick<TlsFiles, "material">): void {
  createGauge(registry, {
    name: `${METRICS_PREFIX}_tls_certificate_expiry_timestamp_seconds`,
    help: "When the certificate that the proxy presents expires, in epoch seconds",
    // With workers: the one that expires first.
    aggregator: "min",
    read: () => tls.material.validToMs / 1000,
  });
}
