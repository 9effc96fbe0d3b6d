import { setTimeout as sleep } from "node:timers/promises";
import { getNumberFromEnv } from "@opentelemetry/core";
import { defaultResource, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { TelemetryConfig } from "../config/telemetry-config.ts";
import { createEvaluationEvents } from "./evaluation-events.ts";
import {
  createLogExporter,
  createMetricExporter,
  createSpanExporter,
  logDiagnostics,
  logExportFailures,
} from "./exporters.ts";
import { ActiveSpan, connectLog } from "./log-export.ts";
import { MetricBridge } from "./metric-bridge.ts";
import { createRequestTracer } from "./request-tracer.ts";
import { createSampler } from "./sampler.ts";
import type { Telemetry, TelemetryOptions } from "./telemetry.ts";

const CLOSE_TIMEOUT_MS = 500;

interface Provider {
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Starts to export traces, metrics and logs. Registers nothing globally except a listener for failures. */
export function startTelemetry({ config, service, logger, tap }: TelemetryOptions): Telemetry {
  logDiagnostics((text) => logger.warn(`OpenTelemetry: ${text}`));
  const { name, version } = service;
  const resource = createResource(config, service);
  const active = new ActiveSpan();
  const bridge = new MetricBridge({ name, version });
  const traces = createTracerProvider(config, resource);
  const logs = createLoggerProvider(config, resource);
  const metrics = createMeterProvider(config, resource, bridge);
  logExportFailures(logger);
  const log = logs?.getLogger(name, version);
  if (tap !== undefined) connectLog(tap, log, active);
  const hasTracer = config.traces !== undefined || log !== undefined;
  return {
    tracer: hasTracer
      ? createRequestTracer({
          tracer: traces.getTracer(name, version),
          isSampled: createSampler({ ...config.sampling, random: Math.random, now }),
          active,
          reportEvaluations: log && createEvaluationEvents(log, name, now),
          propagates: config.propagates,
        })
      : undefined,
    exportMetrics: (exported) => bridge.connect(exported),
    close: () => closeAll([traces, logs, metrics].filter((provider) => provider !== undefined)),
  };
}

function now(): number {
  return performance.now();
}

function createResource(
  { serviceName, resourceAttributes }: TelemetryConfig,
  { name, version, instanceId }: TelemetryOptions["service"],
): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      "service.version": version,
      ...resourceAttributes,
      "service.name": serviceName ?? resourceAttributes["service.name"] ?? name,
      "service.instance.id": instanceId,
    }),
  );
}

/** NOTE: without an exporter, spans still decide which evaluations are reported. */
function createTracerProvider({ traces }: TelemetryConfig, resource: Resource) {
  const spanProcessors =
    traces === undefined ? [] : [new BatchSpanProcessor(createSpanExporter(traces))];
  return new BasicTracerProvider({ resource, spanProcessors });
}

function createLoggerProvider({ logs }: TelemetryConfig, resource: Resource) {
  if (logs === undefined) return undefined;
  const processor = new BatchLogRecordProcessor({
    exporter: createLogExporter(logs),
    // NOTE: unlike the processor of spans, this one does not read its variables itself.
    scheduledDelayMillis: getNumberFromEnv("OTEL_BLRP_SCHEDULE_DELAY") ?? 1000,
    exportTimeoutMillis: getNumberFromEnv("OTEL_BLRP_EXPORT_TIMEOUT") ?? 30_000,
    maxQueueSize: getNumberFromEnv("OTEL_BLRP_MAX_QUEUE_SIZE") ?? 2048,
    maxExportBatchSize: getNumberFromEnv("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE") ?? 512,
  });
  return new LoggerProvider({ resource, processors: [processor] });
}

function createMeterProvider(config: TelemetryConfig, resource: Resource, bridge: MetricBridge) {
  const { metrics, metricIntervalMs, metricTimeoutMs } = config;
  if (metrics === undefined) return undefined;
  const reader = new PeriodicExportingMetricReader({
    exporter: createMetricExporter(metrics),
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: metricTimeoutMs,
    metricProducers: [bridge],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

/** NOTE: a failure has been logged where it happened, and must not prevent the shutdown. */
async function closeAll(providers: readonly Provider[]): Promise<void> {
  const abort = new AbortController();
  const closed = Promise.allSettled(providers.map((provider) => provider.shutdown()));
  const timeout = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: abort.signal }).catch(() => {});
  await Promise.race([closed, timeout]);
  abort.abort();
}
