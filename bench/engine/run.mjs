// Nanoseconds per evaluated flag, beside the official Node SDK.
//
// An evaluation is what a proxy needs: enabled and variant of every flag, for one user. Each pass is
// for another user. The official SDK answers with `getVariant`, its one call that tells both;
// metrics are switched off. The two take turns, several rounds each, and a row shows medians.

import { once } from "node:events";
import { compileSnapshot, parseDocument } from "flags-engine";
import unleashClient from "unleash-client";
import { KINDS, MIXED, createContext, createDocument } from "../documents.mjs";
import { median } from "../measure/statistics.mjs";

const { InMemStorageProvider, Unleash } = unleashClient;
const FLAG_COUNT = 1000;
const USER_COUNT = 500;

/** Measures the mixed document and each kind of flag; resolves to one row per measurement. */
export async function runEngineBench(plan) {
  const rows = [];
  for (const kind of [MIXED, ...KINDS]) rows.push(await benchKind(kind, plan));
  // Read once, so that no pass can be optimized away.
  if (Number.isNaN(sink)) throw new Error("A pass yielded no number");
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

/** A pass evaluates every flag for one user and returns how many are on and have a variant. */
function createAllPass(document, contexts) {
  const snapshot = compile(document);
  return (round) => {
    const { outcomes } = snapshot.evaluateAll(contexts[round % USER_COUNT]);
    let sum = 0;
    for (let i = 0; i < outcomes.length; i++) {
      sum += weigh(snapshot.flags[i].outcomes[outcomes[i]]);
    }
    return sum;
  };
}

/** The same, asking for one flag at a time by its name. */
function createSinglePass(document, contexts) {
  const snapshot = compile(document);
  const names = document.features.map(({ name }) => name);
  return (round) => {
    const context = contexts[round % USER_COUNT];
    let sum = 0;
    for (const name of names) {
      const index = snapshot.indexOf(name);
      sum += weigh(snapshot.flags[index].outcomes[snapshot.evaluate(index, context)]);
    }
    return sum;
  };
}

function compile(document) {
  return compileSnapshot(parseDocument(document), { now: Date.now, random: Math.random });
}

function weigh({ enabled, variant }) {
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
    if (sums.size > 1) throw new Error(`The engines disagree about user ${round}`);
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

let sink = 0;

/** Nanoseconds per flag over at least so many milliseconds. */
function runFor(pass, milliseconds) {
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    sink += pass(count++);
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
