import { expect, test } from "vitest";
import { readDefinitions } from "./_stream-events.ts";
import { eventually, untilReady } from "./_command.ts";
import { startWorkers, toFlag } from "./_workers.ts";

const TOKEN = "token-of-a-server";
const HEADERS = { authorization: TOKEN, connection: "close" };

async function startForServers() {
  const setup = await startWorkers({ EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: TOKEN });
  await untilReady(setup.url);
  const pollDelta = async (etag?: string) => {
    const response = await fetch(`${setup.url}/api/client/delta`, {
      headers: { ...HEADERS, ...(etag !== undefined && { "if-none-match": etag }) },
    });
    await response.text();
    return { status: response.status, etag: response.headers.get("etag") ?? "" };
  };
  return { ...setup, pollDelta };
}

test("an SDK can continue at any worker with GET /api/client/delta, and every worker sends a change with the same id to GET /api/client/streaming", async () => {
  const { url, upstream, pollDelta, command } = await startForServers();
  const { etag } = await pollDelta();
  for (let poll = 0; poll < 4; poll += 1) {
    expect(await pollDelta(etag)).toEqual({ status: 304, etag });
  }

  const streams = await Promise.all(
    [1, 2, 3, 4].map(() => readDefinitions(`${url}/api/client/streaming`, HEADERS)),
  );
  const initialEvents = await Promise.all(streams.map((stream) => stream.next()));
  expect(new Set(initialEvents.map(({ id }) => id)).size).toBe(1);
  upstream.document = { features: [toFlag("on"), toFlag("new")] };
  const changes = await Promise.all(streams.map((stream) => stream.next()));
  expect(new Set(changes.map(({ id }) => id)).size).toBe(1);
  expect(changes[0]?.events).toMatchObject([{ feature: { name: "new" } }]);
  await eventually(async () => (await pollDelta()).etag).toBe(`"${changes[0]?.id}"`);

  const metrics = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  expect(await metrics.text()).toContain("\nflags_proxy_definition_streams 4\n");
  command.signal("SIGTERM");
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { retries, comments } of streams) {
    expect(retries).toEqual([expect.toSatisfy((delayMs: number) => delayMs < 10_000)]);
    // The ages after the events.
    expect(comments()).toBeGreaterThan(1);
  }
  expect((await command.finished()).code).toBe(0);
});
