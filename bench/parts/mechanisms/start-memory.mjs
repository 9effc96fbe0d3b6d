// What a start without load takes, with and without optimizing WebAssembly.

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createDocument } from "../../lib/documents.mjs";
import { readUsage } from "../../lib/process-usage.mjs";
import { medians } from "../../lib/statistics.mjs";
import { startUpstream } from "../../lib/upstream.mjs";

const FLAG_COUNT = 100;
/** V8 optimizes within less than a second. Nothing announces it. */
const WAIT_MS = 1500;

/**
 * Starts each proxy once per round.
 *
 * @param starters functions like `startOurs()`, by name
 * @returns by name, medians of `peakMiB`, the most memory that was resident, and of `cpuMs`, both since the process started
 */
export async function measureStartMemory(starters, { rounds }) {
  const upstream = await startUpstream(createDocument(FLAG_COUNT));
  const samples = new Map(Object.keys(starters).map((name) => [name, []]));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [name, start] of Object.entries(starters)) {
        const server = await start({ upstreamUrl: upstream.url });
        await delay(WAIT_MS);
        const { pid } = server.child;
        samples.get(name).push({ peakMiB: readPeakMiB(pid), cpuMs: readUsage(pid).cpuMs });
        await server.stop();
      }
    }
  } finally {
    upstream.close();
  }
  return Object.fromEntries([...samples].map(([name, list]) => [name, medians(list)]));
}

function readPeakMiB(pid) {
  if (process.platform !== "linux") return Number.NaN;
  const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kibibytes) / 1024;
}
