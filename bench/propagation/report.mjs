import { toTable } from "../report/table.mjs";
import { atMost } from "../report/targets.mjs";

const P99_TARGET_MS = 100;
const P99_STREAMS = 1000;
const BLOCK_TARGET_MS = 50;

export function reportPropagation(rows) {
  return `## Propagation: from an answered write to the client\n\n${toTable(rows.map(toRow))}`;
}

function toRow({ way, count, changes, p50Ms, p99Ms, maxMs, ...proxy }) {
  return {
    way,
    clients: count,
    changes,
    "p50 ms": p50Ms.toFixed(1),
    "p99 ms": p99Ms.toFixed(1),
    "max ms": maxMs.toFixed(1),
    "longest block of the proxy ms": proxy.longestBlockMs.toFixed(1),
    "proxy CPU ms per change": proxy.cpuMsPerChange.toFixed(1),
    "proxy KiB per client":
      way === "streams" && count > 1 ? proxy.kibibytesPerClient.toFixed(1) : "",
  };
}

export function propagationTargets(rows) {
  const streams = rows.filter(({ way }) => way === "streams");
  const wanted = streams.find(({ count }) => count === P99_STREAMS);
  const most = streams.at(-1);
  return [
    atMost(`p99 of a change to ${P99_STREAMS} streams, ms`, wanted.p99Ms, P99_TARGET_MS),
    atMost(
      `longest block of the event loop by a change to ${most.count} streams, ms`,
      most.longestBlockMs,
      BLOCK_TARGET_MS,
    ),
  ];
}
