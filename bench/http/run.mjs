// Requests per second of our proxy beside what one would use instead, and beside a server that
// could not be simpler.
//
// Every server and the load generator are processes of their own. The servers take turns, several
// rounds each, so that a slow moment of the machine hits all of them.

import { median, medians } from "../measure/statistics.mjs";
import { measureLoad, withGenerator } from "../measure/load.mjs";
import { createDocument } from "../documents.mjs";
import { PEERS } from "../peers/peers.mjs";
import { startUpstream } from "../upstream.mjs";
import { answerOf, checkAgreement } from "./answers.mjs";
import { CASES } from "./cases.mjs";

/** Users whom the load never asks for. */
const WITNESS = 999_999_999;
const WITNESS_COUNT = 5;

/**
 * Measures every case with every number of flags.
 *
 * @param plan `cases`, `flagCounts` and `peers` to measure, `rounds`, `seconds` of each, `warmUpSeconds`
 *   before each case, and `firstWarmUpSeconds` for servers that have just started
 */
export async function runHttpBench(plan) {
  return withGenerator(async (generator) => {
    const results = [];
    for (const flagCount of plan.flagCounts) {
      results.push(...(await benchDocument(flagCount, { ...plan, generator })));
    }
    return results;
  });
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
    let warmUpSeconds = plan.firstWarmUpSeconds;
    for (const testCase of CASES.filter(({ name }) => plan.cases.includes(name))) {
      results.push(await benchCase(testCase, servers, { ...plan, warmUpSeconds, flagCount }));
      ({ warmUpSeconds } = plan);
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
    timesOld: ratio(samples, "ours", "old"),
    shareOfBare: ratio(samples, "ours", "bare"),
    previousShareOfBare: ratio(samples, "previous", "bare"),
    timesEdge: ratio(samples, "ours", "edge"),
    timesPrevious: ratio(samples, "ours", "previous"),
  };
}

async function takeTurns({ load }, servers, { generator, rounds, seconds, warmUpSeconds }) {
  const samples = new Map([...servers.keys()].map((name) => [name, []]));
  for (const server of servers.values()) {
    await measureLoad(generator, server, { ...load, seconds: warmUpSeconds });
  }
  const order = [...servers];
  for (let round = 0; round < rounds; round++) {
    for (const [name, server] of order) {
      samples.get(name).push(await measureLoad(generator, server, { ...load, seconds }));
    }
    // So that none always follows the same one.
    order.reverse();
  }
  return samples;
}

/** The median of the ratios of each round, whose servers ran one after the other on the same machine. */
function ratio(samples, name, otherName) {
  const [list, others] = [samples.get(name), samples.get(otherName)];
  if (list === undefined || others === undefined) return undefined;
  return median(
    list.map((sample, round) => sample.requestsPerSecond / others[round].requestsPerSecond),
  );
}
