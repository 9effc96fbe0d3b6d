import { toTable } from "./table.mjs";

/** A value that should be at most, or at least, as large as wanted. */
export function atMost(what, measured, wanted) {
  return toTarget(what, { wanted: `≤ ${wanted}`, isReached: measured <= wanted }, measured);
}

export function atLeast(what, measured, wanted) {
  return toTarget(what, { wanted: `≥ ${wanted}`, isReached: measured >= wanted }, measured);
}

/** All targets of a run as a table. */
export function reportTargets(targets) {
  return `## Targets\n\n${toTable(targets)}`;
}

function toTarget(what, { wanted, isReached }, measured) {
  const digits = Math.abs(measured) < 10 ? 2 : 0;
  return { what, wanted, measured: measured.toFixed(digits), reached: isReached ? "yes" : "NO" };
}
