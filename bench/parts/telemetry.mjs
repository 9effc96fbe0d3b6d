// What OpenTelemetry costs a request: proxies with different settings take turns under the same load.

import { once } from "node:events";
import { createServer } from "node:http";
import { createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { medianRatio, medians } from "../lib/statistics.mjs";
import { takeTurns, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNT = 100;
const LOAD = { users: "new", expectedStatus: 200 };

/** Exports often, so that every round contains some of the exports. */
const METRICS = { OTEL_METRICS_EXPORTER: "otlp", OTEL_METRIC_EXPORT_INTERVAL: "1000" };
const TRACES = { OTEL_TRACES_EXPORTER: "otlp", OTEL_TRACES_SAMPLER: "parentbased_traceidratio" };

const SETTINGS = {
  off: {},
  metrics: METRICS,
  "metrics, traces 1 %": { ...METRICS, ...TRACES, OTEL_TRACES_SAMPLER_ARG: "0.01" },
  "metrics, traces 100 %": { ...METRICS, ...TRACES, OTEL_TRACES_SAMPLER_ARG: "1" },
};

const MOST_WITH_METRICS = 1.03;

/** @param plan `rounds`, `seconds` of each, and `warmUpSeconds` */
export async function runTelemetryBench(plan) {
  const collector = await startCollector();
  try {
    return await withGenerator(async (generator) => {
      const starters = Object.fromEntries(
        Object.entries(SETTINGS).map(([name, settings]) => [name, startWith(settings, collector)]),
      );
      const samples = await withServers(createDocument(FLAG_COUNT), starters, (servers) =>
        takeTurns(servers, LOAD, { ...plan, generator, warmUp: { seconds: plan.warmUpSeconds } }),
      );
      const off = samples.get("off");
      return [...samples].map(([name, list]) => ({
        name,
        ...medians(list),
        ratio: medianRatio(list, off, "cpuMicroseconds"),
      }));
    });
  } finally {
    collector.close();
    collector.closeAllConnections();
  }
}

function startWith(settings, collector) {
  const env = {
    ...settings,
    ...(Object.keys(settings).length > 0 && {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}`,
      OTEL_LOGS_EXPORTER: "none",
      OTEL_TRACES_EXPORTER: settings.OTEL_TRACES_EXPORTER ?? "none",
    }),
  };
  return (options) => startOurs({ ...options, env });
}

/** Accepts everything and looks at nothing. */
async function startCollector() {
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => response.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

export function reportTelemetry(results) {
  const rows = results.map(({ name, ratio, cpuMicroseconds, requestsPerSecond, memoryMiB }) => ({
    OpenTelemetry: name,
    "CPU, of off": ratio.toFixed(3),
    "CPU µs/req": cpuMicroseconds.toFixed(1),
    "req/s": Math.round(requestsPerSecond),
    MiB: Math.round(memoryMiB),
  }));
  return `## Telemetry: ${FLAG_COUNT} flags, every request another user\n\n${toTable(rows)}`;
}

export function telemetryTargets(results) {
  const { ratio } = results.find(({ name }) => name === "metrics");
  return [atMost("CPU time per request with metrics, of off", ratio, MOST_WITH_METRICS)];
}
