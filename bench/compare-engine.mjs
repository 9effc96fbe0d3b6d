// Compares the evaluation of this checkout with that of another one, for example of an earlier commit:
//
//   git worktree add ../earlier <commit>
//   (cd ../earlier && npm ci && npm run build)
//   node bench/compare-engine.mjs ../earlier
//
// Both engines evaluate the same flags for the same users in one process, and take turns. A row shows
// medians of CPU time per pass, and the median of the ratios of the turns.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext, createDocument, KINDS, MIXED } from "./lib/documents.mjs";
import { toTable } from "./lib/report.mjs";
import { median } from "./lib/statistics.mjs";

const FLAG_COUNT = 1000;
const USER_COUNT = 500;
const ROUNDS = 30;
const PASSES = 500;

const [other] = process.argv.slice(2);
if (other === undefined) {
  console.error("Usage: node bench/compare-engine.mjs DIRECTORY-OF-ANOTHER-CHECKOUT");
  process.exit(1);
}
const directories = { here: new URL("..", import.meta.url), other: toDirectoryUrl(other) };
const contexts = Array.from({ length: USER_COUNT }, (_, index) => createContext(index));
let sum = 0;

const rows = [];
for (const kind of [MIXED, ...KINDS]) rows.push(await compare(kind));
console.log(toTable(rows));
// Reading the sum prevents V8 from optimizing the passes away.
if (Number.isNaN(sum)) throw new Error("A pass did not return a number");

async function compare(kind) {
  const document = createDocument(FLAG_COUNT, kind);
  const here = await compile(directories.here, document);
  const there = await compile(directories.other, document);
  for (const snapshot of [here, there]) measure(snapshot);
  const times = { here: [], other: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // The second one can profit from caches that the first one has filled, so they alternate.
    if (round % 2 === 0) times.here.push(measure(here));
    times.other.push(measure(there));
    if (round % 2 === 1) times.here.push(measure(here));
  }
  const ratios = times.here.map((time, round) => time / times.other[round]);
  return {
    flags: kind,
    "here, µs": median(times.here).toFixed(1),
    "other, µs": median(times.other).toFixed(1),
    "here / other": median(ratios).toFixed(2),
  };
}

async function compile(directory, document) {
  const engine = await import(new URL("packages/engine/dist/index.js", directory).href);
  const options = { now: Date.now, random: Math.random };
  return engine.compileSnapshot(engine.parseDocument(document), options);
}

/** Returns the CPU time of one pass over all flags, in microseconds. */
function measure(snapshot) {
  const start = process.cpuUsage();
  for (let pass = 0; pass < PASSES; pass++) {
    const { outcomes } = snapshot.evaluateAll(contexts[pass % USER_COUNT]);
    for (const outcome of outcomes) sum += outcome;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / PASSES;
}

function toDirectoryUrl(path) {
  return pathToFileURL(`${resolve(path)}/`);
}
