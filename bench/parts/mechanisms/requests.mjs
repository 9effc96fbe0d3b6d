// The cost of requests with and without each mechanism of the request path.

import { createDocument } from "../../lib/documents.mjs";
import { medianRatio, medians } from "../../lib/statistics.mjs";
import { takeTurns, withGenerator } from "../../load/measure-load.mjs";
import { withServers } from "../../peers/peers.mjs";

const FLAG_COUNTS = [100, 1000];
/** A number of requests, because on a busy machine, servers compile different amounts of code in the same time. */
const WARM_UP = { requests: 20_000 };
const GZIP = { "accept-encoding": "gzip" };
const LOADS = {
  "new users": { users: "new", expectedStatus: 200 },
  "same context": { users: "fixed", expectedStatus: 200 },
  "new users with equal flags, gzip": {
    users: "new",
    expectedStatus: 200,
    headers: GZIP,
    kind: "plain",
  },
};

/** The loads for which each mechanism exists. */
export const INTENDED_LOADS = {
  "deferred sending": ["new users"],
  "response cache": ["same context"],
  "shared bodies": ["new users with equal flags, gzip"],
};

/**
 * Loads each proxy once per round, for each number of flags and each load.
 *
 * @param starters functions like `startOurs()`, by the removed mechanism; the first one removes none
 * @returns per number of flags, load and `removed` mechanism: `rateRatio`, requests per second with / without the
 *   mechanism, `cpuRatio`, CPU time per request without / with, and `memoryMiB` after the load
 */
export function measureRequests(starters, plan) {
  return withGenerator(async (generator) => {
    const results = [];
    for (const flagCount of FLAG_COUNTS) {
      for (const [loadName, { kind, ...load }] of Object.entries(LOADS)) {
        const measured = Object.entries(starters).filter(([removed]) =>
          isMeasured(removed, loadName),
        );
        await withServers(
          createDocument(flagCount, kind),
          Object.fromEntries(measured),
          async (servers) => {
            const samples = await takeTurns(servers, load, { ...plan, generator, warmUp: WARM_UP });
            results.push(...summarize(samples).map((row) => ({ flagCount, loadName, ...row })));
          },
        );
      }
    }
    return results;
  });
}

function isMeasured(removed, loadName) {
  return INTENDED_LOADS[removed]?.includes(loadName) ?? true;
}

function summarize(samples) {
  const [[, complete]] = samples;
  return [...samples].map(([removed, list]) => ({
    removed,
    rateRatio: medianRatio(complete, list, "requestsPerSecond"),
    cpuRatio: medianRatio(list, complete, "cpuMicroseconds"),
    ...medians(list),
  }));
}
