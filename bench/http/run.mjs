// Requests per second of GET /proxy beside a bare node:http server that sends the same bytes.
//
// Each server and the load generator are processes of their own. The servers take turns, several
// rounds each, so that a slow moment of the machine hits both.

import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { createContext, createDocument } from "../documents.mjs";

const CLIENT_KEY = "bench-key";
const FLAG_COUNTS = [10, 100, 1000];
const CONNECTIONS = 32;
const USERS = 500;
const WARM_UP_SECONDS = 1;
const READY_TIMEOUT_MS = 20_000;
/** Headers that node:http writes by itself. */
const OWN_HEADERS = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

/** Measures every size of document; resolves to one row per size. */
export async function runHttpBench({ long }) {
  const plan = long ? { rounds: 7, seconds: 5 } : { rounds: 3, seconds: 1 };
  const load = forkBench("load.mjs");
  try {
    const rows = [];
    for (const flagCount of FLAG_COUNTS) rows.push(await benchSize(flagCount, { load, ...plan }));
    return rows;
  } finally {
    load.disconnect();
  }
}

async function benchSize(flagCount, plan) {
  const upstream = await startUpstream(createDocument(flagCount));
  const children = [];
  const startServer = async (script, firstMessage) => {
    const child = forkBench(script);
    children.push(child);
    return { child, port: (await ask(child, firstMessage)).port };
  };
  try {
    const proxy = await startServer("proxy-server.mjs", proxyOptions(upstream.address().port));
    const answer = await waitForAnswer(proxy.port);
    const bare = await startServer("bare-server.mjs", answer);
    const results = await takeTurns({ proxy, bare }, plan);
    const { memoryMiB } = await ask(proxy.child, "usage");
    return toRow({ flagCount, bytes: Buffer.byteLength(answer.body), memoryMiB, ...results });
  } finally {
    for (const child of children) child.disconnect();
    upstream.close();
    upstream.closeAllConnections();
  }
}

async function takeTurns(servers, { load, rounds, seconds }) {
  const samples = { proxy: [], bare: [] };
  for (const server of Object.values(servers)) await measure(server, load, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const [name, server] of Object.entries(servers)) {
      samples[name].push(await measure(server, load, seconds));
    }
  }
  return { proxy: summarize(samples.proxy), bare: summarize(samples.bare) };
}

/** One bounded load on one server: rates, latencies and processor time per request. */
async function measure(server, load, seconds) {
  const before = await ask(server.child, "usage");
  const result = await ask(load, {
    port: server.port,
    paths: userPaths(),
    headers: { authorization: CLIENT_KEY },
    connections: CONNECTIONS,
    seconds,
  });
  const after = await ask(server.child, "usage");
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: ((after.cpuMs - before.cpuMs) * 1000) / result.requests,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
  };
}

function summarize(samples) {
  const keys = Object.keys(samples[0]);
  return Object.fromEntries(keys.map((key) => [key, median(samples.map((s) => s[key]))]));
}

function toRow({ flagCount, bytes, memoryMiB, proxy, bare }) {
  return {
    flags: flagCount,
    "body bytes": bytes,
    "proxy req/s": Math.round(proxy.requestsPerSecond),
    "bare req/s": Math.round(bare.requestsPerSecond),
    "proxy / bare": (proxy.requestsPerSecond / bare.requestsPerSecond).toFixed(2),
    "proxy CPU µs/req": proxy.cpuMicroseconds.toFixed(1),
    "bare CPU µs/req": bare.cpuMicroseconds.toFixed(1),
    "proxy p50 ms": proxy.p50Ms,
    "proxy p99 ms": proxy.p99Ms,
    "proxy memory MiB": memoryMiB,
  };
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function userPaths() {
  return Array.from({ length: USERS }, (_, index) => toPath(createContext(index)));
}

function toPath({ properties, ...fields }) {
  const query = new URLSearchParams(fields);
  for (const [name, value] of Object.entries(properties)) query.set(`properties[${name}]`, value);
  return `/proxy?${query}`;
}

function proxyOptions(upstreamPort) {
  return {
    flagsUrl: `http://127.0.0.1:${upstreamPort}/api`,
    flagsApiToken: "bench-token",
    clientKeys: [CLIENT_KEY],
    host: "127.0.0.1",
    port: 0,
  };
}

/** An upstream whose flags never change, so that the proxy has nothing to do but answer. */
async function startUpstream(document) {
  const body = JSON.stringify(document);
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "POST") response.writeHead(202).end();
    else if (request.headers["if-none-match"] !== undefined) response.writeHead(304).end();
    else response.writeHead(200, { etag: '"1"' }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function forkBench(script) {
  return fork(fileURLToPath(new URL(script, import.meta.url)));
}

/** Sends a message to a child and resolves to its answer; fails when it ends instead. */
async function ask(child, message) {
  const settled = new AbortController();
  const { signal } = settled;
  const exit = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs[1]} ended early with exit code ${code}`);
  });
  child.send(message);
  try {
    const [answer] = await Promise.race([once(child, "message", { signal }), exit]);
    return answer;
  } finally {
    settled.abort();
  }
}

/** The bytes the bare server will send: the answer to the first user, once the proxy is ready. */
async function waitForAnswer(port) {
  const firstPath = toPath(createContext(0));
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadlineMs) {
    const response = await fetch(`http://127.0.0.1:${port}${firstPath}`, {
      headers: { authorization: CLIENT_KEY, "accept-encoding": "identity" },
    });
    const body = await response.text();
    if (response.ok) return { headers: ownHeaders(response.headers), body };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The proxy was not ready within ${READY_TIMEOUT_MS} ms`);
}

function ownHeaders(headers) {
  return Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.has(name)));
}
