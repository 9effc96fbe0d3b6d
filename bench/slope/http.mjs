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
 * flags. What the bytes cost that are sent, as the bare server shows, is taken off.
 */
export async function measureHttpSlope(kind, [few, many], plan) {
  const small = await measureOwnCost(createDocument(few, kind), plan);
  const large = await measureOwnCost(createDocument(many, kind), plan);
  return ((large - small) * 1000) / (many - few);
}

/** Processor time per request beyond that of the bare server, in microseconds. */
async function measureOwnCost(document, { generator, rounds, seconds, warmUpSeconds }) {
  const upstream = await startUpstream(document);
  const servers = [await startOurs({ upstreamUrl: upstream.url }), await startBare()];
  const [ours, bare] = servers;
  try {
    await bare.answerWith(await askOnce(ours, 0));
    for (const server of servers) {
      await measureLoad(generator, server, { ...LOAD, seconds: warmUpSeconds });
    }
    const samples = [];
    for (let round = 0; round < rounds; round++) {
      const own = await measureLoad(generator, ours, { ...LOAD, seconds });
      const yardstick = await measureLoad(generator, bare, { ...LOAD, seconds });
      samples.push(own.cpuMicroseconds - yardstick.cpuMicroseconds);
    }
    return median(samples);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    upstream.close();
  }
}
