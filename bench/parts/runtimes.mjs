// `flags-proxy/fetch` on Workers (workerd), Deno and Bun, beside our proxy on Node: the same requests, in turns.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleForWorkers } from "../../scripts/bundle/bundle-for-workers.mjs";
import { installRuntimes } from "../../scripts/runtimes/install.mjs";
import { RUNTIMES, startProgram } from "../../scripts/runtimes/start-program.mjs";
import { rootDirectory } from "../../scripts/workspace.mjs";
import { createDocument } from "../lib/documents.mjs";
import { readUsage } from "../lib/process-usage.mjs";
import { toTable } from "../lib/report.mjs";
import { medianRatio, medians } from "../lib/statistics.mjs";
import { takeTurns, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNTS = [10, 100, 1000];
const LOAD = { users: "new", expectedStatus: 200 };
const KEY = "bench-key";

/** @param plan `rounds`, `seconds` of each, and `warmUpSeconds` */
export async function runRuntimesBench({ rounds, seconds, warmUpSeconds }) {
  await installRuntimes();
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-runtimes-"));
  try {
    const bundle = await bundleForWorkers(
      join(rootDirectory, "scripts", "runtimes", "programs", "worker.mjs"),
    );
    const starters = { node: startNode };
    for (const runtime of RUNTIMES)
      starters[runtime] = (options) => startRuntime(runtime, { ...options, directory });
    const results = await withGenerator(async (generator) => {
      const list = [];
      for (const flagCount of FLAG_COUNTS) {
        const plan = { generator, rounds, seconds, warmUp: { seconds: warmUpSeconds } };
        list.push({ flagCount, rows: await measure(starters, createDocument(flagCount), plan) });
      }
      return list;
    });
    return { bundleBytes: bundle.length, gzipBytes: gzipSync(bundle).length, results };
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function measure(starters, document, plan) {
  const colds = new Map();
  const samples = await withServers(document, starters, (servers) => {
    for (const [name, { cold }] of servers) colds.set(name, cold);
    return takeTurns(servers, LOAD, plan);
  });
  const node = samples.get("node");
  return [...samples].map(([name, list]) => ({
    name,
    ...medians(list),
    ratio: medianRatio(list, node, "cpuMicroseconds"),
    cold: colds.get(name),
  }));
}

/** Node loads the flags before the first request. */
async function startNode(options) {
  const server = await startOurs(options);
  return { ...server, cold: await measureFirst(server) };
}

async function startRuntime(runtime, { upstreamUrl, directory }) {
  const appOptions = {
    flagsUrl: upstreamUrl,
    flagsApiToken: "*:development.bench-token",
    clientKeys: [KEY],
  };
  const { url, command } = await startProgram(runtime, { appOptions, directory });
  const server = {
    child: { pid: command.pid },
    port: Number(new URL(url).port),
    path: "/proxy",
    headers: { authorization: KEY },
    stop: command.stop,
  };
  return { ...server, cold: await measureFirst(server) };
}

/** Measures the first request to a process. */
async function measureFirst({ child, port, path, headers }) {
  const before = readUsage(child.pid).cpuMs;
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}?userId=1`, { headers });
  await response.arrayBuffer();
  const elapsedMs = performance.now() - start;
  if (!response.ok) throw new Error(`The first response has the status ${response.status}`);
  return { elapsedMs, cpuMs: readUsage(child.pid).cpuMs - before };
}

const toKb = (bytes) => `${Math.round(bytes / 1000)} kB`;

export function reportRuntimes({ bundleBytes, gzipBytes, results }) {
  const rows = results.flatMap(({ flagCount, rows: list }) =>
    list.map(({ name, requestsPerSecond, cpuMicroseconds, ratio, memoryMiB, cold }) => ({
      flags: flagCount,
      runtime: name,
      "req/s": Math.round(requestsPerSecond),
      "CPU µs/req": Math.round(cpuMicroseconds),
      "CPU, of Node": ratio.toFixed(2),
      MiB: Math.round(memoryMiB),
      "first request, ms": Math.round(cold.elapsedMs),
      "first request, CPU ms": Math.round(cold.cpuMs),
    })),
  );
  return [
    "## Runtimes: /proxy, every request another user",
    toTable(rows),
    "Node loads flags before the first request; the others load them for it.",
    `Bundle for Workers: ${toKb(bundleBytes)}, compressed ${toKb(gzipBytes)}.`,
  ].join("\n\n");
}
