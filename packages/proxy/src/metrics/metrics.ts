import {
  createGauge,
  createRegistry,
  createRequestMetrics,
  type RequestMetrics,
  coalesceReadings,
  type TlsFiles,
} from "flags-server-kit/http";
import type { Registry } from "prom-client";
import { METRICS_PREFIX } from "./prefix.ts";
import { createUsageMetrics, type UsageMetrics } from "./usage.ts";

/** The metrics of one app, in a separate registry. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  readonly usage: UsageMetrics;
  /** Returns all metrics in the Prometheus text format; with workers, those of all processes. */
  readonly read: () => Promise<string>;
}

/** Creates the metrics of one app. */
export function createMetrics(): Metrics {
  const registry = createRegistry(METRICS_PREFIX, "the proxy");
  return {
    registry,
    read: coalesceReadings(() => registry.metrics()),
    requests: createRequestMetrics(registry, METRICS_PREFIX),
    usage: createUsageMetrics(registry),
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
