// The cost of 10,000 keys compared with one, and of signed contexts.

import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { digestKey } from "../../packages/proxy/dist/core/access/grant.js";
import { KeyRegistry } from "../../packages/proxy/dist/core/access/key-registry.js";
import { readAccessFile } from "../../packages/proxy/dist/access-file/read-access-file.js";
import { createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { median, medianRatio, medians } from "../lib/statistics.mjs";
import { takeTurns, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const KEYS = 10_000;
const FLAG_COUNT = 100;
const LOOKUPS = 20_000;
/** A number of requests, because on a busy machine, servers compile different amounts of code in the same time. */
const WARM_UP = { requests: 20_000 };
/** What all other keys may add to a request, or to a lookup. */
const TARGET_MICROSECONDS = 5;
const READ_TARGET_MS = 1000;

const ONE = "1 key";
const MANY = "10,000 keys";
const SIGNED = "1 key, JWT (RS256)";

/** @param plan `rounds`, and `seconds` of each */
export async function runKeysBench(plan) {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  try {
    return {
      lookups: measureLookups(plan.rounds),
      reading: await measureReading(directory, plan.rounds),
      requests: await measureRequests(directory, plan),
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

const keyAt = (index) => `a-client-key-of-the-benchmark-${index}`;

const toGrant = (key) => ({ key: digestKey(key), kind: "client", source: {} });

const entryAt = (index) => ({
  name: `key-${index}`,
  keySha256: createHash("sha256").update(keyAt(index)).digest("hex"),
});

/** Microseconds of one lookup in a table of one key, and of 10,000, each of which is looked up. */
function measureLookups(rounds) {
  const keys = Array.from({ length: KEYS }, (_, index) => keyAt(index));
  const registries = [
    [new KeyRegistry([toGrant(keyAt(0))]), 1],
    [new KeyRegistry(keys.map(toGrant)), KEYS],
  ];
  const samples = registries.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, [registry, keyCount]] of registries.entries()) {
      const microseconds = measureLookup(registry, keys, keyCount);
      // The first round only compiles.
      if (round > 0) samples[index].push(microseconds);
    }
  }
  const [one, many] = samples.map(median);
  return { one, many, difference: median(samples[1].map((us, round) => us - samples[0][round])) };
}

function measureLookup(registry, keys, keyCount) {
  const startMs = performance.now();
  for (let i = 0; i < LOOKUPS; i++) {
    if (registry.find(keys[i % keyCount], ["client"]) === undefined) throw new Error("Not found");
  }
  return ((performance.now() - startMs) * 1000) / LOOKUPS;
}

async function measureReading(directory, rounds) {
  const path = join(directory, "read.json");
  const keys = Array.from({ length: KEYS }, (_, index) => ({
    ...entryAt(index),
    projects: ["a", "b"],
    rate: { perSecond: 10 },
  }));
  await writeFile(path, JSON.stringify({ keys }));
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    await readAccessFile(path);
    samples.push(performance.now() - startMs);
  }
  return { milliseconds: median(samples) };
}

async function measureRequests(directory, plan) {
  const { signing, token } = await createSigning(directory);
  const keysOf = (count) => Array.from({ length: count }, (_, index) => entryAt(index));
  const files = {
    [ONE]: keysOf(1),
    [MANY]: keysOf(KEYS),
    [SIGNED]: [{ ...entryAt(0), signedContext: signing }],
  };
  const headers = { [SIGNED]: { "x-flags-context-signature": token } };
  const starters = {};
  for (const [index, [name, keys]] of Object.entries(files).entries()) {
    const path = join(directory, `access-${index}.json`);
    await writeFile(path, JSON.stringify({ keys }));
    starters[name] = (options) => startWithKeys(options, path, headers[name]);
  }
  return withGenerator((generator) =>
    withServers(createDocument(FLAG_COUNT), starters, async (servers) => {
      const load = { users: "new", expectedStatus: 200 };
      return summarize(await takeTurns(servers, load, { ...plan, generator, warmUp: WARM_UP }));
    }),
  );
}

async function startWithKeys(options, path, headers) {
  const env = { FLAGS_PROXY_CLIENT_KEYS: "", FLAGS_ACCESS_FILE: path };
  const server = await startOurs({ ...options, env });
  return { ...server, headers: { authorization: keyAt(0), ...headers } };
}

/** A token that gives a property its value which the load does not send. */
async function createSigning(directory) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const file = join(directory, "key.pem");
  await writeFile(file, publicKey.export({ type: "spki", format: "pem" }));
  const token = await new SignJWT({ tenant: "a" })
    .setProtectedHeader({ alg: "RS256" })
    .setExpirationTime("1d")
    .sign(privateKey);
  return { signing: { jwt: { publicKeyFile: file, claims: { tenant: "tenant" } } }, token };
}

function summarize(samples) {
  const one = samples.get(ONE);
  return [...samples].map(([name, list]) => ({
    name,
    ratio: medianRatio(list, one, "cpuMicroseconds"),
    difference: median(
      list.map((each, round) => each.cpuMicroseconds - one[round].cpuMicroseconds),
    ),
    ...medians(list),
  }));
}

export function reportKeys({ lookups, reading, requests }) {
  const lookupRow = {
    "µs per lookup, 1 key": lookups.one.toFixed(2),
    "10,000 keys": lookups.many.toFixed(2),
    difference: lookups.difference.toFixed(2),
    "ms to read 10,000 keys": Math.round(reading.milliseconds),
  };
  const rows = requests.map((row) => ({
    "access file": row.name,
    "CPU µs/req": row.cpuMicroseconds.toFixed(1),
    "CPU / that of 1 key": row.ratio.toFixed(2),
    "difference µs": row.difference.toFixed(1),
    "req/s": Math.round(row.requestsPerSecond),
    MiB: Math.round(row.memoryMiB),
  }));
  return [
    "## Keys",
    toTable([lookupRow]),
    `Requests of new users, ${FLAG_COUNT} flags:`,
    toTable(rows),
  ].join("\n\n");
}

export function keysTargets({ lookups, reading, requests }) {
  const many = requests.find(({ name }) => name === MANY);
  return [
    atMost("10,000 keys: µs more per lookup", lookups.difference, TARGET_MICROSECONDS),
    atMost("10,000 keys: CPU µs more per request", many.difference, TARGET_MICROSECONDS),
    atMost("10,000 keys: ms to read the file", reading.milliseconds, READ_TARGET_MS),
  ];
}
