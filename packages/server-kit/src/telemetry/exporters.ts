import { diag, DiagLogLevel } from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPLogExporter as JsonLogs } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufLogs } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { ConsoleLogRecordExporter, type LogRecordExporter } from "@opentelemetry/sdk-logs";
import { ConsoleMetricExporter, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { ConsoleSpanExporter, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { SignalConfig } from "../config/telemetry-config.ts";
import { TokenBucket } from "../http/token-bucket.ts";
import type { Logger } from "../logging/logger.ts";

interface Addressed {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function createFactory<Exporter>(types: {
  readonly console: new () => Exporter;
  readonly "http/json": new (options: Addressed) => Exporter;
  readonly "http/protobuf": new (options: Addressed) => Exporter;
}) {
  // NOTE: the exporters read their other settings, such as timeouts and certificates, from the environment.
  return ({ exporter, protocol, url, headers }: SignalConfig): Exporter =>
    exporter === "console" ? new types.console() : new types[protocol]({ url, headers });
}

export const createSpanExporter = createFactory<SpanExporter>({
  console: ConsoleSpanExporter,
  "http/json": JsonTraces,
  "http/protobuf": ProtobufTraces,
});

export const createMetricExporter = createFactory<PushMetricExporter>({
  console: ConsoleMetricExporter,
  "http/json": JsonMetrics,
  "http/protobuf": ProtobufMetrics,
});

export const createLogExporter = createFactory<LogRecordExporter>({
  console: ConsoleLogRecordExporter,
  "http/json": JsonLogs,
  "http/protobuf": ProtobufLogs,
});

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
  logDiagnostics(report);
}

export function logDiagnostics(report: (text: string) => void): void {
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
