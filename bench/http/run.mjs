// Requests per second of our proxy beside what one would use instead, and beside a server that
// could not be simpler.
//
// Every server and the load generator are processes of their own. The servers take turns, several
// rounds each, so that a slow moment of the machine hits all of them.

import { median, medians } from "../measure/statistics.mjs";
import { readUsage } from "../measure/process-usage.mjs";
import { createDocument } from "../documents.mjs";
import { PEERS } from "../peers/peers.mjs";
import { ask } from "../processes/ask.mjs";
import { startScript, stop } from "../processes/children.mjs";
import { startUpstream } from "../upstream.mjs";
import { answerOf, checkAgreement } from "./answers.mjs";
import { CASES } from "./cases.mjs";

export const CONNECTIONS = 32;
/** Users whom the load never asks for. */
const WITNESS = 999_999_999;
const WITNESS_COUNT = 5;

/**
 * Measures every case with every number of flags.
 *
 * @param plan `cases`, `flagCounts` and `peers` to measure, `rounds`, `seconds` of each, `warmUpSeconds`
 */
export async function runHttpBench(plan) {
  const generator = startScript(new URL("../load/generator.mjs", import.meta.url));
  try {
    const results = [];
    for (const flagCount of plan.flagCounts) {
      results.push(...(await benchDocument(flagCount, { ...plan, generator })));
    }
    return results;
  } finally {
    await stop(generator);
  }
}

async function benchDocument(flagCount, plan) {
  const document = createDocument(flagCount);
  const upstream = await startUpstream(document);
  const servers = new Map();
  try {
    for (const name of plan.peers) {
      servers.set(name, await PEERS[name]({ document, upstreamUrl: upstream.url }));
    }
    await compareAnswers(servers);
    const results = [];
    for (const testCase of CASES.filter(({ name }) => plan.cases.includes(name))) {
      results.push(await benchCase(testCase, servers, { ...plan, flagCount }));
    }
    return results;
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    upstream.close();
  }
}

async function compareAnswers(servers) {
  const evaluating = [...servers].filter(([name]) => name !== "bare").map(([, server]) => server);
  for (let number = 0; number < WITNESS_COUNT; number++) {
    await checkAgreement(evaluating, WITNESS - number);
  }
}

async function benchCase(testCase, servers, plan) {
  const taking = [...servers].filter(([name]) => !testCase.without?.includes(name));
  const answer = await answerOf(servers.get("ours"), testCase, WITNESS);
  await servers.get("bare")?.answerWith(answer);
  const samples = await takeTurns(testCase, new Map(taking), plan);
  return {
    testCase,
    flagCount: plan.flagCount,
    bodyBytes: Buffer.byteLength(answer.body),
    peers: Object.fromEntries([...samples].map(([name, list]) => [name, medians(list)])),
    timesOld: ratio(samples, "old"),
    shareOfBare: ratio(samples, "bare"),
  };
}

async function takeTurns(testCase, servers, { generator, rounds, seconds, warmUpSeconds }) {
  const samples = new Map([...servers.keys()].map((name) => [name, []]));
  for (const server of servers.values()) {
    await measure(server, testCase, { generator, seconds: warmUpSeconds });
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, server] of servers) {
      samples.get(name).push(await measure(server, testCase, { generator, seconds }));
    }
  }
  return samples;
}

/** One bounded load on one server: rates, latencies and processor time per request. */
async function measure({ child, port, path, headers }, { title, load }, { generator, seconds }) {
  const job = { ...load, port, path, connections: CONNECTIONS, seconds };
  const before = readUsage(child.pid);
  const result = await ask(generator, { ...job, headers: { ...headers, ...load.headers } });
  const { cpuMs, memoryMiB } = readUsage(child.pid);
  if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${title}`);
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: ((cpuMs - before.cpuMs) * 1000) / result.requests,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    generatorBusy: result.generatorBusy,
    memoryMiB,
  };
}

/** The median over the rounds, since what ran one after the other had the same machine. */
function ratio(samples, name) {
  const others = samples.get(name);
  if (others === undefined) return undefined;
  const ours = samples.get("ours");
  return median(
    ours.map((sample, round) => sample.requestsPerSecond / others[round].requestsPerSecond),
  );
}
