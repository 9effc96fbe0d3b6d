// Nanoseconds per evaluated flag, compared with the official Node SDK.
//
// An evaluation yields what a proxy needs: `enabled` and the variant of every flag for one user. Each
// pass evaluates for another user. With the official SDK, `getVariant` is the one call that returns
// both; its metrics are disabled. The engines take turns, and a row shows medians.

import { once } from "node:events";
import { compileSnapshot, parseDocument } from "flags-engine";
import unleashClient from "unleash-client";
import { KINDS, MIXED, createContext, createDocument } from "../lib/documents.mjs";
import { toTable } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";

const { InMemStorageProvider, Unleash } = unleashClient;
const FLAG_COUNT = 1000;
const USER_COUNT = 500;

/**
 * Measures the mixed document and each kind of flag; resolves to the rows of a table.
 *
 * @param plan `rounds`, and `roundMs`, the length of each
 */
export async function runEngineBench(plan) {
  const rows = [];
  for (const kind of [MIXED, ...KINDS]) rows.push(await benchKind(kind, plan));
  // Reading the sum prevents V8 from optimizing the passes away.
  if (Number.isNaN(sumOfPasses)) throw new Error("A pass did not return a number");
  return rows;
}

async function benchKind(kind, plan) {
  const document = createDocument(FLAG_COUNT, kind);
  const contexts = Array.from({ length: USER_COUNT }, (_, index) => createContext(index));
  const official = await createOfficialPass(document, contexts);
  const passes = {
    all: createAllPass(document, contexts),
    single: createSinglePass(document, contexts),
    official: official.pass,
  };
  try {
    checkAgreement(passes);
    return toRow(kind, measure(passes, plan));
  } finally {
    official.close();
  }
}

/** Creates a pass: it evaluates every flag for one user and returns a checksum of the outcomes. */
function createAllPass(document, contexts) {
  const snapshot = compile(document);
  return (round) => {
    const { outcomes } = snapshot.evaluateAll(contexts[round % USER_COUNT]);
    let sum = 0;
    for (let i = 0; i < outcomes.length; i++) {
      sum += checksum(snapshot.flags[i].outcomes[outcomes[i]]);
    }
    return sum;
  };
}

/** Creates a pass that evaluates one flag at a time by its name. */
function createSinglePass(document, contexts) {
  const snapshot = compile(document);
  const names = document.features.map(({ name }) => name);
  return (round) => {
    const context = contexts[round % USER_COUNT];
    let sum = 0;
    for (const name of names) {
      const index = snapshot.indexOf(name);
      sum += checksum(snapshot.flags[index].outcomes[snapshot.evaluate(index, context)]);
    }
    return sum;
  };
}

function compile(document) {
  return compileSnapshot(parseDocument(document), { now: Date.now, random: Math.random });
}

function checksum({ enabled, variant }) {
  return (enabled ? 1 : 0) + (variant === undefined ? 0 : 1000);
}

async function createOfficialPass({ features, segments }, contexts) {
  const client = new Unleash({
    appName: "bench",
    instanceId: "bench",
    url: "http://127.0.0.1:1/",
    bootstrap: { data: features, segments },
    storageProvider: new InMemStorageProvider(),
    refreshInterval: 0,
    disableMetrics: true,
    disableAutoStart: true,
    skipInstanceCountWarning: true,
  });
  const ready = once(client, "ready");
  await client.start();
  await ready;
  const names = features.map(({ name }) => name);
  const pass = (round) => {
    const context = contexts[round % USER_COUNT];
    let sum = 0;
    for (const name of names) {
      const { enabled, feature_enabled: isOn } = client.getVariant(name, context);
      sum += (isOn ? 1 : 0) + (enabled ? 1000 : 0);
    }
    return sum;
  };
  return { pass, close: () => client.destroy() };
}

function checkAgreement(passes) {
  for (let round = 0; round < USER_COUNT; round += 50) {
    const sums = new Set(Object.values(passes).map((pass) => pass(round)));
    if (sums.size > 1) throw new Error(`The engines disagree on user ${round}`);
  }
}

/** Median nanoseconds per flag of every pass. */
function measure(passes, { rounds, roundMs }) {
  const samples = Object.fromEntries(Object.keys(passes).map((name) => [name, []]));
  for (const pass of Object.values(passes)) runFor(pass, roundMs * 2);
  for (let round = 0; round < rounds; round++) {
    for (const [name, pass] of Object.entries(passes)) samples[name].push(runFor(pass, roundMs));
  }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, median(list)]));
}

let sumOfPasses = 0;

/** Repeats a pass for at least this many milliseconds; returns nanoseconds per flag. */
function runFor(pass, milliseconds) {
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    sumOfPasses += pass(count++);
    elapsed = performance.now() - start;
  }
  return (elapsed * 1e6) / count / FLAG_COUNT;
}

function toRow(kind, { all, single, official }) {
  return {
    flags: `${FLAG_COUNT} ${kind}`,
    "ours, all at once, ns": all.toFixed(1),
    "ours, one by one, ns": single.toFixed(1),
    "official, ns": official.toFixed(1),
    "official / ours at once": (official / all).toFixed(1),
    "official / ours one by one": (official / single).toFixed(1),
  };
}

export function reportEngine(rows) {
  return `## Engine: time per evaluated flag\n\n${toTable(rows)}`;
}
