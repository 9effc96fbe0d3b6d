import { createDocument } from "../documents.mjs";
import { askOnce } from "../http/answers.mjs";
import { measureLoad } from "../measure/load.mjs";
import { median } from "../measure/statistics.mjs";
import { startBare } from "../peers/bare.mjs";
import { startOurs } from "../peers/ours.mjs";
import { startUpstream } from "../upstream.mjs";

const LOAD = { users: "new", expectedStatus: 200 };

/**
 * Nanoseconds of processor time that one more flag of a kind costs a request, between two numbers of
 * flags. What the bytes cost that are sent, as the bare server shows, is taken off. All servers take
 * turns, so that a slow moment of the machine hits what is compared alike.
 */
export async function measureHttpSlope(kind, [few, many], plan) {
  const small = await startPair(createDocument(few, kind));
  const large = await startPair(createDocument(many, kind));
  try {
    for (const { servers } of [small, large]) {
      for (const server of servers) await load(server, plan.warmUpSeconds, plan);
    }
    const samples = [];
    for (let round = 0; round < plan.rounds; round++) {
      const ownSmall = await measureOwnCost(small, plan);
      const ownLarge = await measureOwnCost(large, plan);
      samples.push(((ownLarge - ownSmall) * 1000) / (many - few));
    }
    return median(samples);
  } finally {
    await small.stop();
    await large.stop();
  }
}

/** Our proxy with a document, and a bare server with the same bytes. */
async function startPair(document) {
  const upstream = await startUpstream(document);
  const servers = [await startOurs({ upstreamUrl: upstream.url }), await startBare()];
  const [ours, bare] = servers;
  await bare.answerWith(await askOnce(ours, 0));
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    upstream.close();
  };
  return { servers, stop };
}

/** Processor time per request beyond that of the bare server, in microseconds. */
async function measureOwnCost({ servers: [ours, bare] }, plan) {
  const own = await load(ours, plan.seconds, plan);
  const yardstick = await load(bare, plan.seconds, plan);
  return own.cpuMicroseconds - yardstick.cpuMicroseconds;
}

function load(server, seconds, { generator }) {
  return measureLoad(generator, server, { ...LOAD, seconds });
}
