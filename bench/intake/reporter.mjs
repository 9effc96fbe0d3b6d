// A process that reports usage at a steady rate, whenever its parent says so.

import { on } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { openConnection } from "../load/connection.mjs";
import { createReport } from "./usage.mjs";

const CONNECTIONS = 100;

process.on("disconnect", () => process.exit());
for await (const [job] of on(process, "message")) process.send(await report(job));

/** @param job `port`, `path`, `headers`, `names` of flags, `reportsPerSecond`, `seconds` */
async function report(job) {
  const requests = Array.from({ length: 100 }, (_, number) => createReport(job, job.names, number));
  const totals = { accepted: 0, refused: 0 };
  const startMs = performance.now();
  const lanes = Array.from({ length: CONNECTIONS }, (_, lane) => {
    // One after the other, as clients do not report all at once.
    const offsetMs = (lane * 1000) / job.reportsPerSecond;
    return reportOnLane({ ...job, startMs: startMs + offsetMs }, requests, totals);
  });
  await Promise.all(lanes);
  return totals;
}

/** One connection with its share of the rate. It catches up when answers were late. */
async function reportOnLane({ port, reportsPerSecond, seconds, startMs }, requests, totals) {
  const connection = openConnection(port);
  const intervalMs = (1000 * CONNECTIONS) / reportsPerSecond;
  const count = (seconds * 1000) / intervalMs;
  for (let sent = 0; sent < count && performance.now() < startMs + seconds * 1000; sent++) {
    const waitMs = startMs + sent * intervalMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const queue = [requests[sent % requests.length]];
    await connection.run(
      () => queue.pop(),
      ({ status }) => totals[status === 200 ? "accepted" : "refused"]++,
    );
  }
  connection.close();
}
