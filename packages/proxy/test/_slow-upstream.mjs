// An upstream in a separate process, with a delay for every POST. On a message, it reports what it has
// received.

import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

const { DELAY_MS = "50", BULK_STATUS = "202", FLAG_COUNT = "1" } = process.env;
const features = Array.from({ length: Number(FLAG_COUNT) }, (_, index) => ({
  name: index === 0 ? "on" : `on-${index}`,
  enabled: true,
  strategies: [{ name: "default" }],
}));
const document = JSON.stringify({ version: 2, features });

/** Counts of `yes` by application, sums of impact metrics by label, counts of requests, and registrations. */
const yes = {};
const impact = {};
const requests = {};
const applications = [];

function count(appName, times) {
  yes[appName] = (yes[appName] ?? 0) + times;
}

function addImpact(metrics = []) {
  for (const { labels, value } of metrics.flatMap(({ samples }) => samples)) {
    impact[labels.appName] = (impact[labels.appName] ?? 0) + value;
  }
}

const accept = {
  "/api/client/metrics": ({ appName, bucket, impactMetrics }) => {
    addImpact(impactMetrics);
    for (const usage of Object.values(bucket.toggles)) count(appName, usage.yes);
    return 202;
  },
  "/api/client/metrics/bulk": (body) => {
    if (BULK_STATUS !== "202") return Number(BULK_STATUS);
    for (const metric of body.metrics) {
      if (metric.environment === "development") count(metric.appName, metric.yes);
    }
    addImpact(body.impactMetrics);
    applications.push(...body.applications);
    return 202;
  },
  "/api/client/register": (body) => {
    applications.push(body);
    return 202;
  },
};

const server = createServer((request, response) => void respond(request, response));

async function respond(request, response) {
  const body = await text(request);
  const path = request.url.split("?")[0];
  requests[path] = (requests[path] ?? 0) + 1;
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json").end(document);
    return;
  }
  await delay(Number(DELAY_MS));
  response.writeHead(accept[path]?.(JSON.parse(body)) ?? 404).end();
}

process.on("message", () => process.send({ yes, impact, requests, applications }));
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
