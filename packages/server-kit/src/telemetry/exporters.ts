import { readFileSync } from "node:fs";
import { diag, DiagLogLevel } from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPLogExporter as JsonLogs } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufLogs } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base";
import { ConsoleLogRecordExporter, type LogRecordExporter } from "@opentelemetry/sdk-logs";
import { ConsoleMetricExporter, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { ConsoleSpanExporter, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { SignalConfig, TelemetryConfig } from "../config/telemetry-config.ts";
import { TokenBucket } from "../http/token-bucket.ts";
import type { Logger } from "../logging/logger.ts";

type Shared = Pick<TelemetryConfig, "timeoutMs" | "compression" | "tls">;
type ExporterOptions = NonNullable<ConstructorParameters<typeof ProtobufTraces>[0]>;

/** Creates the exporter of traces. */
export function createSpanExporter(signal: SignalConfig, shared: Shared): SpanExporter {
  if (signal.exporter === "console") return new ConsoleSpanExporter();
  const options = toOptions(signal, shared);
  return isJson(signal) ? new JsonTraces(options) : new ProtobufTraces(options);
}

/** Creates the exporter of metrics. */
export function createMetricExporter(signal: SignalConfig, shared: Shared): PushMetricExporter {
  if (signal.exporter === "console") return new ConsoleMetricExporter();
  const options = toOptions(signal, shared);
  return isJson(signal) ? new JsonMetrics(options) : new ProtobufMetrics(options);
}

/** Creates the exporter of logs. */
export function createLogExporter(signal: SignalConfig, shared: Shared): LogRecordExporter {
  if (signal.exporter === "console") return new ConsoleLogRecordExporter();
  const options = toOptions(signal, shared);
  return isJson(signal) ? new JsonLogs(options) : new ProtobufLogs(options);
}

function isJson({ protocol }: SignalConfig): boolean {
  return protocol === "http/json";
}

function toOptions({ url, headers }: SignalConfig, shared: Shared): ExporterOptions {
  const { timeoutMs, compression, tls } = shared;
  return {
    url,
    headers,
    timeoutMillis: timeoutMs,
    compression: compression === "gzip" ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
    httpAgentOptions: {
      keepAlive: true,
      ...(tls.ca !== undefined && { ca: readFileSync(tls.ca) }),
      ...(tls.cert !== undefined && { cert: readFileSync(tls.cert) }),
      ...(tls.key !== undefined && { key: readFileSync(tls.key) }),
    },
  };
}

const ONE_PER_MINUTE = { burst: 1, perSecond: 1 / 60 };
const MAX_CHARACTERS = 500;

const ignore = (): void => {};

/** Logs why telemetry cannot be exported, at most once per minute. */
export function logExportFailures(logger: Logger): void {
  const budget = new TokenBucket(ONE_PER_MINUTE, performance.now());
  let suppressed = 0;
  const report = (reason: string): void => {
    if (budget.tryTake(1, performance.now()) > 0) {
      suppressed += 1;
      return;
    }
    const more =
      suppressed === 0 ? "" : ` (and ${suppressed} more failures since the last message)`;
    suppressed = 0;
    logger.warn(`Cannot export telemetry: ${reason.slice(0, MAX_CHARACTERS)}${more}`);
  };
  setGlobalErrorHandler((error) =>
    report(error instanceof Error ? describe(error) : JSON.stringify(error)),
  );
  const write = (...parts: readonly unknown[]): void => report(parts.map(String).join(" "));
  diag.setLogger(
    { error: write, warn: write, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** NOTE: several addresses of one host fail with an error that has no message of its own. */
function describe(error: Error): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const { message, name } = first instanceof Error ? first : error;
  return message === "" ? name : message;
}
