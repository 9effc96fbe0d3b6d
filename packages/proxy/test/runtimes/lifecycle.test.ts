// New isolates, upstreams that fail, and isolates that end, on the real runtimes.

import { describe, expect, onTestFinished, test } from "vitest";
import { startProgram } from "../../../../scripts/runtimes/start-program.mjs";
import { startControlledUpstream } from "../_controlled-upstream.ts";
import { flag } from "../_documents.ts";
import { createDirectory, RUNTIMES, serveOn } from "./_runtimes.ts";

const KEY = "client-key-1";
const one = (name: string) => ({ version: 2, features: [flag(name)] });

const optionsFor = (upstream: { readonly url: string }) => ({
  flagsUrl: upstream.url,
  flagsApiToken: "default:production.upstream-token",
  clientKeys: [KEY],
});

/** NOTE: a request whose server is killed may otherwise never end. */
const limited = () => ({ signal: AbortSignal.timeout(20_000) });

async function namesAt(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/proxy`, { headers: { authorization: KEY }, ...limited() });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const { toggles } = (await response.json()) as { toggles: readonly { name: string }[] };
  return toggles.map(({ name }) => name);
}

const REPORT = {
  appName: "web",
  instanceId: "browser",
  bucket: {
    start: "2026-01-01T00:00:00.000Z",
    stop: "2026-01-01T00:01:00.000Z",
    toggles: { on: { yes: 1, no: 0, variants: {} } },
  },
};

/** Returns how often the flag was on, as the upstream has counted it. */
function countAt({ posts }: { readonly posts: Map<string, unknown[]> }): number {
  const reports = (posts.get("/api/client/metrics") ?? []) as (typeof REPORT)[];
  return reports.reduce((sum, { bucket }) => sum + bucket.toggles.on.yes, 0);
}

describe.each(RUNTIMES)("%s", (runtime) => {
  test("100 requests to a new isolate cause one to the upstream, and later ones refresh the flags", async () => {
    const upstream = await startControlledUpstream(one("first"));
    const options = { ...optionsFor(upstream), refreshInterval: 1 };
    const slow = upstream.hold();
    const url = await serveOn(runtime, options, onTestFinished);
    const all = Promise.all(Array.from({ length: 100 }, () => namesAt(url)));
    await slow.waiting(1);
    slow.release();
    expect(new Set((await all).map(String))).toEqual(new Set(["first"]));
    expect(upstream.statuses.filter((status) => status === 200)).toHaveLength(1);

    await expect
      .poll(async () => [await namesAt(url), upstream.statuses.at(-1)])
      .toEqual([["first"], 304]);
    const { waiting, release } = upstream.hold();
    let isWaiting = false;
    void waiting(1).then(() => {
      isWaiting = true;
    });
    // Only requests after the interval refresh the flags.
    await expect.poll(async () => [await namesAt(url), isWaiting]).toEqual([["first"], true]);
    // While the upstream does not respond.
    expect(await namesAt(url)).toEqual(["first"]);
    upstream.document = one("second");
    release();
    await expect.poll(() => namesAt(url)).toEqual(["second"]);
    // As an upstream responds that has revoked the token.
    upstream.failure = 401;
    await expect
      .poll(async () => [await namesAt(url), upstream.statuses.at(-1)])
      .toEqual([["second"], 401]);
    expect(await namesAt(url)).toEqual(["second"]);
  });

  test("isolates that end under load lose only usage that they have not sent yet", async () => {
    const upstream = await startControlledUpstream(one("on"));
    const appOptions = { ...optionsFor(upstream), metricsInterval: 1 };
    const directory = await createDirectory(onTestFinished);
    const load = { sent: 0, accepted: 0 };
    const lossAt = () => load.accepted - countAt(upstream);
    let [port, lost] = [0, 0];
    for (let isolate = 0; isolate < ISOLATES; isolate += 1) {
      // oxlint-disable no-await-in-loop -- one after the other
      const started = await startProgram(runtime, { appOptions, directory, port });
      port = Number(new URL(started.url).port);
      const clients = startClients(started.url, load);
      const before = load.accepted;
      await expect.poll(() => load.accepted - before).toBeGreaterThan(100);
      if (isolate < ISOLATES - 1) {
        await started.command.kill();
        await clients.stop();
        lost = lossAt();
      } else {
        await clients.stop();
        await expect
          .poll(async () => {
            await namesAt(started.url);
            return lossAt();
          })
          .toBeLessThanOrEqual(Math.max(lost, 0));
        await started.command.stop();
      }
      // oxlint-enable no-await-in-loop
    }
    expect(countAt(upstream)).toBeLessThanOrEqual(load.sent);
    expect(countAt(upstream)).toBeGreaterThan(load.accepted / 2);
  });
});

const ISOLATES = 3;

/** Starts clients that read flags and report usage, until they are stopped or get no response. */
function startClients(url: string, load: { sent: number; accepted: number }) {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      load.sent += 1;
      // oxlint-disable no-await-in-loop -- as one client does
      if (!(await reportsTo(url))) return;
      load.accepted += 1;
      const names = await namesAt(url).catch(() => undefined);
      if (names !== undefined) expect(names).toEqual(["on"]);
      // oxlint-enable no-await-in-loop
    }
  };
  const runs = Promise.all(Array.from({ length: 4 }, run));
  return {
    stop: (): Promise<unknown> => {
      stopping.abort();
      return runs;
    },
  };
}

/** Reports usage. Resolves to false if the connection ends. */
async function reportsTo(url: string): Promise<boolean> {
  const sending = fetch(`${url}/proxy/client/metrics`, {
    method: "POST",
    headers: { authorization: KEY, "content-type": "application/json" },
    body: JSON.stringify(REPORT),
    ...limited(),
  });
  const response = await sending.catch(() => undefined);
  if (response === undefined) return false;
  await response.body?.cancel();
  expect(response.status).toBe(200);
  return true;
}
