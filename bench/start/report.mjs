import { atMost } from "../report/targets.mjs";
import { toTable } from "../report/table.mjs";

export function reportStart({ ours, old }) {
  const rows = [{ "ours ms": Math.round(ours), "old ms": Math.round(old) }];
  return `## Start: until the health check answers, 1,000 flags\n\n${toTable(rows)}`;
}

export function startTargets({ ours }) {
  return [atMost("ready, ms after the process started, 1000 flags", ours, 300)];
}
