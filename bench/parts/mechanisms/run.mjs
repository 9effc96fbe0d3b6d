// The gain of each optimization that needs its own code: the proxy with and without it, in one run.
// A mechanism that misses its target costs more than it gains, and should be removed.

import { atLeast, toTable } from "../../lib/report.mjs";
import { startOurs } from "../../peers/peers.mjs";
import { measureStarts } from "../start.mjs";
import { measureRefreshes } from "./refreshes.mjs";
import { INTENDED_LOADS, measureRequests } from "./requests.mjs";
import { createVariants } from "./variants.mjs";

/** Milliseconds of a start. */
const START_TARGET_MS = 50;
/** A block that a user would notice. */
const BLOCK_TARGET_MS = 50;
/** CPU time of a whole request. */
const REQUEST_TARGET = 1.2;

/** @param plan `rounds`, and `seconds` of each */
export async function runMechanismsBench(plan) {
  const variants = await createVariants();
  const { unchanged, withoutCodeCache, unbundled, withoutRefresh, withoutRequest } = variants;
  try {
    return {
      starts: await measureStarts(
        { codeCache: startOurs, withoutCodeCache, unbundled },
        plan.rounds,
      ),
      refreshes: await measureRefreshes({ nothing: unchanged, ...withoutRefresh }, plan),
      requests: await measureRequests(
        {
          nothing: unchanged,
          "nothing (control)": unchanged,
          ...withoutRequest,
        },
        plan,
      ),
    };
  } finally {
    await variants.remove();
  }
}

export function reportMechanisms({ starts, refreshes, requests }) {
  const startRow = {
    "bundle with code cache ms": Math.round(starts.codeCache),
    "bundle without code cache ms": Math.round(starts.withoutCodeCache),
    "unbundled ms": Math.round(starts.unbundled),
  };
  const refreshRows = refreshes.map(({ change, removed, longestBlockMs, cpuMs }) => ({
    changed: change,
    without: removed,
    "longest block ms": longestBlockMs.toFixed(1),
    "CPU ms per refresh": Math.round(cpuMs),
  }));
  const requestRows = requests.map((row) => ({
    flags: row.flagCount,
    load: row.loadName,
    without: row.removed,
    "req/s with / without": row.rateRatio.toFixed(2),
    "CPU without / with": row.cpuRatio.toFixed(2),
    "CPU µs/req": row.cpuMicroseconds.toFixed(1),
    MiB: Math.round(row.memoryMiB),
  }));
  return [
    "## Mechanisms: the proxy with and without them",
    `### Start\n\n${toTable([startRow])}`,
    `### Refresh of 10,000 flags\n\n${toTable(refreshRows)}`,
    `### Requests\n\n${toTable(requestRows)}`,
  ].join("\n\n");
}

export function mechanismTargets({ starts, refreshes, requests }) {
  return [...startTargets(starts), ...refreshTargets(refreshes), ...requestTargets(requests)];
}

function startTargets({ codeCache, withoutCodeCache, unbundled }) {
  return [
    atLeast("code cache: ms gained at start", withoutCodeCache - codeCache, START_TARGET_MS),
    atLeast("bundle: ms gained at start", unbundled - withoutCodeCache, START_TARGET_MS),
  ];
}

function refreshTargets(refreshes) {
  return refreshes
    .filter(({ removed }) => removed !== "nothing")
    .map(({ change, removed, longestBlockMs }) => {
      const what = `${removed}: longest block without it, ${change} changed, ms`;
      return atLeast(what, longestBlockMs, BLOCK_TARGET_MS);
    });
}

function requestTargets(requests) {
  return requests
    .filter(({ removed, loadName }) => INTENDED_LOADS[removed]?.includes(loadName))
    .map(cpuTarget);
}

function cpuTarget({ flagCount, loadName, removed, cpuRatio }) {
  const what = `${removed}: CPU without / with, ${loadName}, ${flagCount} flags`;
  return atLeast(what, cpuRatio, REQUEST_TARGET);
}
