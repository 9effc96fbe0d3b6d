// A process that sends usage reports at a constant rate. Each message describes one run; it replies with
// the numbers of accepted and rejected reports.

import { on } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { openConnection } from "./connection.mjs";
import { createPostFormatter } from "./requests.mjs";

const CONNECTIONS = 100;
const DISTINCT_REPORTS = 100;
const APPLICATION_COUNT = 10;

process.on("disconnect", () => process.exit());
for await (const [job] of on(process, "message")) process.send(await sendReports(job));

/**
 * @param job `port`, `path`, `headers`, `names` of flags, `entriesPerReport`, `reportsPerSecond` and
 *   `seconds`
 */
async function sendReports(job) {
  const reports = Array.from({ length: DISTINCT_REPORTS }, (_, number) =>
    formatReport(job, number),
  );
  const totals = { accepted: 0, rejected: 0 };
  const startMs = performance.now();
  const runs = Array.from({ length: CONNECTIONS }, (_, index) => {
    // Spread over time, like the reports of independent clients.
    const offsetMs = (index * 1000) / job.reportsPerSecond;
    return sendOnConnection({ ...job, startMs: startMs + offsetMs }, reports, totals);
  });
  await Promise.all(runs);
  return totals;
}

/** Sends a connection's share of the reports, and catches up after slow responses. */
async function sendOnConnection({ port, reportsPerSecond, seconds, startMs }, reports, totals) {
  const connection = openConnection(port);
  const intervalMs = (1000 * CONNECTIONS) / reportsPerSecond;
  const count = (seconds * 1000) / intervalMs;
  for (let sent = 0; sent < count && performance.now() < startMs + seconds * 1000; sent++) {
    const waitMs = startMs + sent * intervalMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const { status } = await connection.request(reports[sent % reports.length]);
    totals[status === 200 ? "accepted" : "rejected"]++;
  }
  connection.close();
}

/** A report on some of the flags, as client SDKs send it. */
function formatReport({ path, headers, names, entriesPerReport }, number) {
  const first = (number * entriesPerReport) % names.length;
  const toggles = names
    .slice(first, first + entriesPerReport)
    .map((name, index) => [name, { yes: index, no: 1, variants: { blue: index } }]);
  return createPostFormatter(
    `${path}/client/metrics`,
    headers,
  )({
    appName: `app-${number % APPLICATION_COUNT}`,
    instanceId: `instance-${number}`,
    bucket: {
      start: new Date(number).toISOString(),
      stop: new Date(number + 1).toISOString(),
      toggles: Object.fromEntries(toggles),
    },
  });
}
