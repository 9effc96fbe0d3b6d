import { createRegistry, createRequestMetrics, type RequestMetrics } from "flags-server-kit/http";
import { coalesceReadings } from "flags-server-kit/neutral";
import type { Registry } from "prom-client";
import { METRICS_PREFIX, proxyMetrics } from "./metric-set.ts";
import { createUsageMetrics, type UsageMetrics } from "./usage-metrics.ts";

export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  readonly usage: UsageMetrics;
  readonly read: () => Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = createRegistry(METRICS_PREFIX, "the proxy");
  return {
    registry,
    read: coalesceReadings(() => registry.metrics()),
    requests: createRequestMetrics(registry, METRICS_PREFIX),
    usage: createUsageMetrics(registry),
  };
}

export function observeCertificate(
  registry: Registry,
  tls: { readonly material: { readonly validToMs: number } },
): void {
  proxyMetrics(registry).gauge(
    "tls_certificate_expiry_timestamp_seconds",
    "When the certificate that the proxy presents expires, in epoch seconds",
    [],
    () => tls.material.validToMs / 1000,
    // With workers: the one that expires first.
    "min",
  );
}
