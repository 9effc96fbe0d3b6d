import {
  createGauge,
  createRegistry,
  createRequestMetrics,
  type RequestMetrics,
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
    read: shareReadings(() => registry.metrics()),
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

/** Longer metrics take more than 50 ms to write: with 1,000 flags of 3 applications, usage by flag is as long. */
const LONG_TEXT_LENGTH = 512 * 1024;

/** Shorter than the intervals at which metrics are usually collected. */
const REUSE_MS = 5000;

/**
 * Lets concurrent requests share one reading of the metrics, and all requests within five seconds a long one: anyone can
 * request metrics, and writing long ones delays other requests.
 */
export function shareReadings(
  read: Metrics["read"],
  nowMs: () => number = () => performance.now(),
): Metrics["read"] {
  let reading: Promise<string> | undefined;
  let long: { readonly text: string; readonly readAtMs: number } | undefined;
  const readNow = async (): Promise<string> => {
    const text = await read();
    long = text.length > LONG_TEXT_LENGTH ? { text, readAtMs: nowMs() } : undefined;
    return text;
  };
  return async () => {
    if (long !== undefined && nowMs() - long.readAtMs < REUSE_MS) return long.text;
    reading ??= readNow().finally(() => (reading = undefined));
    return reading;
  };
}
