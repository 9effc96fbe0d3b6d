import { expect, test } from "vitest";
import { openStream } from "./_definition-events.ts";
import { eventually, untilReady } from "./_command.ts";
import { startWorkers, toFlag } from "./_workers.ts";

const TOKEN = "token-of-a-server";
const HEADERS = { authorization: TOKEN, connection: "close" };

async function startForServers() {
  const setup = await startWorkers({ EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: TOKEN });
  await untilReady(setup.url);
  const askDelta = async (etag?: string) => {
    const response = await fetch(`${setup.url}/api/client/delta`, {
      headers: { ...HEADERS, ...(etag !== undefined && { "if-none-match": etag }) },
    });
    await response.text();
    return { status: response.status, etag: response.headers.get("etag") ?? "" };
  };
  return { ...setup, askDelta };
}

test("GET /api/client/delta: an SDK goes on at whichever worker it comes to", async () => {
  const { askDelta } = await startForServers();
  const { etag } = await askDelta();
  for (let turn = 0; turn < 4; turn += 1) {
    expect(await askDelta(etag)).toEqual({ status: 304, etag });
  }
});

test("GET /api/client/streaming: every worker tells of a change, with one id", async () => {
  const { url, upstream, askDelta, command } = await startForServers();
  const streams = await Promise.all(
    [1, 2, 3, 4].map(() => openStream(`${url}/api/client/streaming`, HEADERS)),
  );
  const greetings = await Promise.all(streams.map((stream) => stream.next()));
  expect(new Set(greetings.map(({ id }) => id)).size).toBe(1);
  upstream.document = { features: [toFlag("on"), toFlag("new")] };
  const changes = await Promise.all(streams.map((stream) => stream.next()));
  expect(new Set(changes.map(({ id }) => id)).size).toBe(1);
  expect(changes[0]?.events).toMatchObject([{ feature: { name: "new" } }]);
  await eventually(async () => (await askDelta()).etag).toBe(`"${changes[0]?.id}"`);

  const metrics = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  expect(await metrics.text()).toContain("\nflags_proxy_definition_streams 4\n");
  command.signal("SIGTERM");
  const rests = await Promise.all(streams.map((stream) => stream.rest()));
  for (const rest of rests) expect(rest).toMatch(/^retry: \d{1,4}\n$/);
  expect((await command.finished()).code).toBe(0);
});
