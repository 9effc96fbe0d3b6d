// The cost of refreshes of 10,000 flags with and without time slicing.

import { setTimeout as delay } from "node:timers/promises";
import { createDocument } from "../../lib/documents.mjs";
import { readUsage } from "../../lib/process-usage.mjs";
import { call } from "../../lib/processes.mjs";
import { median } from "../../lib/statistics.mjs";
import { startUpstream } from "../../lib/upstream.mjs";
import { withOtherFlags, withoutFirstFlag } from "../refresh.mjs";

const FLAG_COUNT = 10_000;
const POLL_INTERVAL_MS = 500;
/** Longer than a poll interval and a refresh. */
const REFRESH_MS = 1300;
const WARM_UP_ROUNDS = 2;
const PROBE = new URL("../../lib/event-loop-probe.mjs", import.meta.url);

/**
 * Refreshes idle proxies once per round.
 *
 * @param starters functions like `startOurs()`, by the removed mechanism
 * @returns per kind of change and `removed` mechanism, medians of `longestBlockMs` and of `cpuMs` per refresh
 */
export async function measureRefreshes(starters, { rounds }) {
  const document = createDocument(FLAG_COUNT);
  const subjects = [];
  try {
    for (const [removed, start] of Object.entries(starters)) {
      subjects.push({ removed, ...(await startSubject(start, document)) });
    }
    const changes = {
      "one flag": withoutFirstFlag(document),
      "all flags": withOtherFlags(document),
    };
    const results = [];
    for (const [change, changed] of Object.entries(changes)) {
      const texts = [changed, document].map((body) => JSON.stringify(body));
      results.push(...(await measureChange(subjects, { change, texts, rounds })));
    }
    return results;
  } finally {
    for (const { upstream, server } of subjects) {
      await server.stop();
      upstream.close();
    }
  }
}

/** Each variant has its own upstream, so that the others stay idle while one refreshes. */
async function startSubject(start, document) {
  const upstream = await startUpstream(document);
  const env = { FLAGS_FETCH_INTERVAL: String(POLL_INTERVAL_MS) };
  const server = await start({ upstreamUrl: upstream.url, env, probe: PROBE });
  return { upstream, server };
}

async function measureChange(subjects, { change, texts, rounds }) {
  const samples = subjects.map(() => []);
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      samples[index].push(await refresh(subject, texts[round % texts.length]));
    }
  }
  return subjects.map(({ removed }, index) => {
    const measured = samples[index].slice(WARM_UP_ROUNDS);
    return {
      change,
      removed,
      longestBlockMs: median(measured.map(({ longestBlockMs }) => longestBlockMs)),
      cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
    };
  });
}

async function refresh({ upstream, server: { child } }, text) {
  await call(child, "reset");
  const before = readUsage(child.pid);
  upstream.replace(text);
  await delay(REFRESH_MS);
  const { longestBlockMs } = await call(child, "read");
  return { longestBlockMs, cpuMs: readUsage(child.pid).cpuMs - before.cpuMs };
}
