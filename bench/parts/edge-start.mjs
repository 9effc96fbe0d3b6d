// Cold start of `flags-proxy/fetch` on Workers: the CPU time of the first request to a new workerd process.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { bundleForWorkers } from "../../scripts/bundle/bundle-for-workers.mjs";
import { findFreePorts } from "../../scripts/free-ports.mjs";
import { rootDirectory } from "../../scripts/workspace.mjs";
import { createDocument } from "../lib/documents.mjs";
import { startProgram } from "../lib/processes.mjs";
import { readUsage } from "../lib/process-usage.mjs";
import { toTable } from "../lib/report.mjs";
import { medians } from "../lib/statistics.mjs";
import { startUpstream } from "../lib/upstream.mjs";
import { stopProcess } from "../../scripts/stop-process.mjs";

const FLAG_COUNTS = [10, 100, 300, 1000];
const KEY = "client-key-of-the-benchmark";

/** Packages whose share of the bundle is of interest: one checks request bodies, the other evaluates patterns. */
const LARGE_PACKAGES = ["typebox", "re2js"];

/** Requests for it are answered by the programs themselves: the first one makes workerd load the program. */
const LOADED = "/loaded";

/** The programs that are compared: the other one only fetches the document of the upstream. */
const PROGRAMS = {
  ours: `import { env } from "cloudflare:workers";
    import { createFetchApp } from "flags-proxy/fetch";
    const app = createFetchApp({
      flagsUrl: env.FLAGS_URL,
      flagsApiToken: "default:development.token-of-the-benchmark",
      clientKeys: ["${KEY}"],
    });
    export default {
      fetch: (request, env, context) => request.url.endsWith("${LOADED}")
        ? new Response("ok")
        : app.fetch(request, env, context),
    };`,
  bare: `import { env } from "cloudflare:workers";
    export default {
      async fetch(request) {
        if (request.url.endsWith("${LOADED}")) return new Response("ok");
        document ??= await (await fetch(env.FLAGS_URL + "/client/features")).text();
        return new Response("ok");
      },
    };
    let document;`,
};

/** @param plan `rounds` */
export async function runEdgeStartBench({ rounds }) {
  const { WORKERD_BIN: workerd } = process.env;
  const directory = await mkdtemp(join(tmpdir(), "flags-edge-start-"));
  try {
    const sizes = await measureSizes(directory, await bundlePrograms(directory));
    if (workerd === undefined) return { sizes, starts: [] };
    const starts = [];
    for (const flagCount of FLAG_COUNTS) {
      starts.push(await measureStarts(workerd, { directory, flagCount, rounds }));
    }
    return { sizes, starts };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Returns the code of ours. */
async function bundlePrograms(directory) {
  const codes = {};
  const entry = join(rootDirectory, "packages/proxy/dist/fetch/index.js");
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const file = join(directory, `${name}.js`);
    await writeFile(file, source.replace('"flags-proxy/fetch"', JSON.stringify(entry)));
    codes[name] = await bundleForWorkers(file);
    await writeFile(join(directory, `${name}.bundle.js`), codes[name]);
  }
  return codes.ours;
}

const toKb = (code) => Math.round(gzipSync(code).length / 1000);

async function measureSizes(directory, code) {
  const file = join(directory, "ours.js");
  const kb = toKb(code);
  const shares = {};
  for (const name of LARGE_PACKAGES) shares[name] = kb - toKb(await bundleForWorkers(file, [name]));
  return { kb, ...shares };
}

/** Starts each program once per round. Returns the medians. */
async function measureStarts(workerd, { directory, flagCount, rounds }) {
  const document = createDocument(flagCount);
  const upstream = await startUpstream(document);
  const samples = { ours: [], bare: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const name of Object.keys(samples)) {
        samples[name].push(await measureStart(workerd, { directory, name, url: upstream.url }));
      }
    }
  } finally {
    upstream.close();
  }
  const documentKb = Math.round(JSON.stringify(document).length / 1000);
  return { flagCount, documentKb, ours: medians(samples.ours), bare: medians(samples.bare) };
}

async function measureStart(workerd, { directory, name, url }) {
  const [port] = await findFreePorts(1);
  const file = join(directory, `${name}.capnp`);
  await writeFile(file, toConfig({ name, url, port }));
  const child = startProgram(workerd, ["serve", file], { env: {} });
  const origin = `http://127.0.0.1:${port}`;
  try {
    await untilListening(port);
    const started = readUsage(child.pid).cpuMs;
    const loaded = await request(origin + LOADED, child.pid);
    const first = await request(`${origin}/proxy?userId=1`, child.pid);
    const next = await request(`${origin}/proxy?userId=2`, child.pid);
    return {
      loadMs: loaded.cpuMs - started,
      firstMs: first.cpuMs - loaded.cpuMs,
      nextMs: next.cpuMs - first.cpuMs,
      memoryMiB: next.memoryMiB,
    };
  } finally {
    await stopProcess(child, 5000);
  }
}

/** Sends a request. Returns what the process has used until then. */
async function request(url, pid) {
  const response = await fetch(url, { headers: { authorization: KEY } });
  await response.text();
  if (!response.ok) throw new Error(`workerd responded with ${response.status}`);
  return readUsage(pid);
}

function toConfig({ name, url, port }) {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .program),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const program :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "${name}.bundle.js")],
  compatibilityDate = "2026-11-17",
  bindings = [(name = "FLAGS_URL", text = "${url}")],
);
`;
}

/** Resolves when a port accepts connections. */
async function untilListening(port) {
  for (;;) {
    const isListening = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1")
        .on("connect", () => resolve(true))
        .on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (isListening) return;
    await setTimeout(10);
  }
}

export function reportEdgeStart({ sizes, starts }) {
  const { kb, ...shares } = sizes;
  const size = [
    { "flags-proxy/fetch": `${kb} kB`, ...mapValues(shares, (share) => `of it ${share} kB`) },
  ];
  const rows = starts.map(({ flagCount, documentKb, ours, bare }) => ({
    flags: flagCount,
    "document kB": documentKb,
    "program loaded, CPU ms": ours.loadMs.toFixed(1),
    "bare: loaded": bare.loadMs.toFixed(1),
    "first request, CPU ms": ours.firstMs.toFixed(1),
    "bare: first": bare.firstMs.toFixed(1),
    difference: (ours.firstMs - bare.firstMs).toFixed(1),
    "second request, CPU ms": ours.nextMs.toFixed(1),
    MiB: Math.round(ours.memoryMiB),
  }));
  return [
    "## Edge: size of a bundle for Workers, compressed",
    toTable(size),
    "## Edge: a new workerd process: loading the program, and the first request, which loads the flags",
    starts.length === 0 ? "WORKERD_BIN is not set" : toTable(rows),
  ].join("\n\n");
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
