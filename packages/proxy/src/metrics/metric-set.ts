import { MetricSet } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import type { Source } from "../sources/sources.ts";

/** Prefix of the names of the proxy's own metrics. */
export const METRICS_PREFIX = "flags_proxy";

export function proxyMetrics(registry: Registry): MetricSet {
  return new MetricSet(registry, METRICS_PREFIX);
}

export function valuesOf(sources: readonly Source[], read: (source: Source) => number | undefined) {
  return sources.flatMap((source) => {
    const value = read(source);
    return value === undefined ? [] : [{ labels: { source: source.name }, value }];
  });
}
