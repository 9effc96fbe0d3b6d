import type { TelemetryValues } from "./telemetry-settings.ts";

const DEFAULT_ENDPOINT = "http://localhost:4318";

const DEFAULT_RATIO = 0.01;

export type SignalConfig = NonNullable<ReturnType<typeof toSignal>>;

/** The configuration of telemetry. A signal that is undefined is not exported. */
export type TelemetryConfig = NonNullable<ReturnType<typeof toTelemetryConfig>>;

/** Returns the configuration of telemetry; undefined if nothing is exported. */
export function toTelemetryConfig(values: TelemetryValues) {
  const traces = toSignal(values, "Traces");
  const metrics = toSignal(values, "Metrics");
  const logs = toSignal(values, "Logs");
  if (values.otelDisabled || (traces ?? metrics ?? logs) === undefined) return undefined;
  return Object.freeze({
    traces,
    metrics,
    logs,
    serviceName: values.otelServiceName,
    resourceAttributes: values.otelResourceAttributes,
    sampling: toSampling(values),
    propagates:
      values.otelPropagators.includes("tracecontext") && !values.otelPropagators.includes("none"),
    metricIntervalMs: values.otelMetricInterval,
    metricTimeoutMs: Math.min(values.otelMetricTimeout, values.otelMetricInterval),
  });
}

function toSignal(values: TelemetryValues, signal: "Traces" | "Metrics" | "Logs") {
  const endpoint = values[`otel${signal}Endpoint`];
  const isAddressed = (endpoint ?? values.otelEndpoint) !== undefined;
  const exporter = values[`otel${signal}Exporter`] ?? (isAddressed ? "otlp" : "none");
  if (exporter === "none") return undefined;
  const base = (values.otelEndpoint ?? DEFAULT_ENDPOINT).replace(/\/+$/, "");
  return {
    exporter,
    url: endpoint ?? `${base}/v1/${signal.toLowerCase()}`,
    protocol: values[`otel${signal}Protocol`] ?? values.otelProtocol,
    headers: { ...values.otelHeaders, ...values[`otel${signal}Headers`] },
  };
}

/** NOTE: the standard default traces every request; a proxy has too many of them. */
function toSampling({ otelSampler: sampler, otelSamplerRatio: ratio }: TelemetryValues) {
  const isParentBased = sampler === undefined || sampler.startsWith("parentbased_");
  if (sampler === undefined) return { ratio: ratio ?? DEFAULT_RATIO, isParentBased };
  if (sampler.endsWith("always_on")) return { ratio: 1, isParentBased };
  if (sampler.endsWith("always_off")) return { ratio: 0, isParentBased };
  return { ratio: ratio ?? 1, isParentBased };
}
