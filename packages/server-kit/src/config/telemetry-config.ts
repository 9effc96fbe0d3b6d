import type { TelemetryValues } from "./telemetry-settings.ts";

const DEFAULT_ENDPOINT = "http://localhost:4318";

/** Share of the requests that are traced if no sampler is configured. */
const DEFAULT_RATIO = 0.01;

/** Where and how one signal is exported. */
export interface SignalConfig {
  readonly exporter: "otlp" | "console";
  readonly url: string;
  readonly protocol: "http/protobuf" | "http/json";
  readonly headers: Readonly<Record<string, string>>;
}

/** Limits of a queue of records that wait for their export. */
interface BatchConfig {
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
}

/** The configuration of telemetry. A signal that is undefined is not exported. */
export interface TelemetryConfig {
  readonly traces: SignalConfig | undefined;
  readonly metrics: SignalConfig | undefined;
  readonly logs: SignalConfig | undefined;
  readonly timeoutMs: number;
  readonly compression: "none" | "gzip";
  /** Paths of PEM files. */
  readonly tls: {
    readonly ca: string | undefined;
    readonly cert: string | undefined;
    readonly key: string | undefined;
  };
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly sampling: {
    /** Share of the requests without a remote parent that are traced, from 0 to 1. */
    readonly ratio: number;
    /** Whether the sender of a `traceparent` header decides. */
    readonly isParentBased: boolean;
  };
  /** Whether `traceparent` headers are read and sent. */
  readonly propagates: boolean;
  readonly metricIntervalMs: number;
  readonly metricTimeoutMs: number;
  readonly spans: BatchConfig;
  readonly records: BatchConfig;
}

/** Returns the configuration of telemetry; undefined if nothing is exported. */
export function toTelemetryConfig(values: TelemetryValues): TelemetryConfig | undefined {
  const traces = toSignal(values, "Traces");
  const metrics = toSignal(values, "Metrics");
  const logs = toSignal(values, "Logs");
  if (values.otelDisabled || (traces ?? metrics ?? logs) === undefined) return undefined;
  return Object.freeze({
    traces,
    metrics,
    logs,
    timeoutMs: values.otelTimeout,
    compression: values.otelCompression,
    tls: {
      ca: values.otelCertificate,
      cert: values.otelClientCertificate,
      key: values.otelClientKey,
    },
    serviceName: values.otelServiceName,
    resourceAttributes: values.otelResourceAttributes,
    sampling: toSampling(values),
    propagates:
      values.otelPropagators.includes("tracecontext") && !values.otelPropagators.includes("none"),
    metricIntervalMs: values.otelMetricInterval,
    metricTimeoutMs: Math.min(values.otelMetricTimeout, values.otelMetricInterval),
    spans: {
      scheduledDelayMillis: values.otelSpansDelay,
      exportTimeoutMillis: values.otelSpansTimeout,
      maxQueueSize: values.otelSpansQueue,
      maxExportBatchSize: Math.min(values.otelSpansBatch, values.otelSpansQueue),
    },
    records: {
      scheduledDelayMillis: values.otelLogsDelay,
      exportTimeoutMillis: values.otelLogsTimeout,
      maxQueueSize: values.otelLogsQueue,
      maxExportBatchSize: Math.min(values.otelLogsBatch, values.otelLogsQueue),
    },
  });
}

function toSignal(
  values: TelemetryValues,
  signal: "Traces" | "Metrics" | "Logs",
): SignalConfig | undefined {
  const endpoint = values[`otel${signal}Endpoint`];
  const isAddressed = (endpoint ?? values.otelEndpoint) !== undefined;
  const exporter = values[`otel${signal}Exporter`] ?? (isAddressed ? "otlp" : "none");
  if (exporter === "none") return undefined;
  const base = (values.otelEndpoint ?? DEFAULT_ENDPOINT).replace(/\/+$/, "");
  return {
    exporter,
    url: endpoint ?? `${base}/v1/${signal.toLowerCase()}`,
    protocol: values[`otel${signal}Protocol`] ?? values.otelProtocol ?? "http/protobuf",
    headers: { ...values.otelHeaders, ...values[`otel${signal}Headers`] },
  };
}

/** NOTE: the standard default traces every request; a proxy has too many of them. */
function toSampling(values: TelemetryValues): TelemetryConfig["sampling"] {
  const { otelSampler: sampler, otelSamplerRatio: ratio } = values;
  const isParentBased = sampler === undefined || sampler.startsWith("parentbased_");
  if (sampler === undefined) return { ratio: ratio ?? DEFAULT_RATIO, isParentBased };
  if (sampler.endsWith("always_on")) return { ratio: 1, isParentBased };
  if (sampler.endsWith("always_off")) return { ratio: 0, isParentBased };
  return { ratio: ratio ?? 1, isParentBased };
}
