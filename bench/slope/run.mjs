// What one more flag costs a request of a new user, by kind, in the engine and over HTTP.

import { KINDS, MIXED } from "../documents.mjs";
import { withGenerator } from "../measure/load.mjs";
import { atMost } from "../report/targets.mjs";
import { toTable } from "../report/table.mjs";
import { measureEngineSlope } from "./engine.mjs";
import { measureHttpSlope } from "./http.mjs";

const RANGE = [100, 10_000];
/** Of a flag that depends on the context. */
const WANTED_NS = 60;
/** Of flags that are the same for everybody, and of the mix, of which half depend on the context. */
const OTHER_WANTED_NS = { plain: 3, off: 3, [MIXED]: WANTED_NS / 2 };

/** Resolves to one row per kind: nanoseconds per extra flag. */
export function runSlopeBench(plan) {
  return withGenerator(async (generator) => {
    const rows = [];
    for (const kind of [MIXED, ...KINDS]) {
      const engineNs = measureEngineSlope(kind, RANGE, { rounds: plan.rounds, seconds: 0.05 });
      const httpNs = await measureHttpSlope(kind, RANGE, { ...plan, generator });
      rows.push({ kind, engineNs, httpNs });
    }
    return rows;
  });
}

export function reportSlope(rows) {
  const table = rows.map(({ kind, engineNs, httpNs }) => ({
    "kind of flag": kind,
    "engine ns": engineNs.toFixed(1),
    "HTTP CPU ns": httpNs.toFixed(1),
  }));
  return `## Slope: cost of one more flag, ${RANGE.join(" to ")} flags, new users\n\n${toTable(table)}`;
}

export function slopeTargets(rows) {
  return rows.map(({ kind, httpNs }) => {
    const wantedNs = OTHER_WANTED_NS[kind] ?? WANTED_NS;
    return atMost(`one more flag (${kind}), ns of a request`, httpNs, wantedNs);
  });
}
