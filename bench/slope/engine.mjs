import { compileSnapshot, parseDocument } from "flags-engine";
import { createContext, createDocument } from "../documents.mjs";
import { median } from "../measure/statistics.mjs";

const CONTEXTS = Array.from({ length: 500 }, (_, index) => createContext(index));

/** Nanoseconds that one more flag of a kind costs an evaluation, between two numbers of flags. */
export function measureEngineSlope(kind, [few, many], { rounds, seconds }) {
  const [small, large] = [few, many].map((count) => compile(createDocument(count, kind)));
  const samples = { small: [], large: [] };
  for (let round = 0; round <= rounds; round++) {
    samples.small.push(timePass(small, seconds));
    samples.large.push(timePass(large, seconds));
  }
  // The first round is for the compiler.
  const [smallNs, largeNs] = [samples.small, samples.large].map((list) => median(list.slice(1)));
  return (largeNs - smallNs) / (many - few);
}

function compile(document) {
  return compileSnapshot(parseDocument(document), { now: Date.now, random: Math.random });
}

/** Nanoseconds of one evaluation of all flags. */
function timePass(snapshot, seconds) {
  const startMs = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < seconds * 1000) {
    snapshot.evaluateAll(CONTEXTS[count++ % CONTEXTS.length]);
    elapsedMs = performance.now() - startMs;
  }
  return (elapsedMs * 1e6) / count;
}
