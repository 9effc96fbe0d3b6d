import { expect, test } from "vitest";
import type { ProxyConfig } from "../src/config/config.ts";
import { HALF_OF_SESSIONS, flag, withConstraint } from "./_documents.ts";
import { readEvents } from "./_event-reader.ts";
import { proxyConfig, startProxy, type RunningApp } from "./_proxy.ts";

const ALL = "/ofrep/v1/evaluate/flags";
const FOR_7 = flag("for-user-7", { strategies: [withConstraint("userId", ["7"])] });
const SEVEN = { context: { targetingKey: "7" } };

const start = (config: Partial<ProxyConfig> = {}, features: readonly object[] = [FOR_7]) =>
  startProxy({ document: { features }, config: { ofrepEventStreams: true, ...config } });

interface Answer {
  readonly flags: readonly object[];
  readonly eventStreams?: readonly {
    readonly type: string;
    readonly endpoint: { readonly requestUri: string };
  }[];
}

async function answerTo({ post }: RunningApp, body: object = SEVEN, path = ALL) {
  const response = await post(path, body);
  expect(response.status).toBe(200);
  const answer = (await response.json()) as Answer;
  const uri = answer.eventStreams?.[0]?.endpoint.requestUri;
  return { answer, uri, etag: response.headers.get("etag") ?? "" };
}

test("ofrepEventStreams: an answer names a stream, without an origin", async () => {
  const { answer, uri } = await answerTo(await start({ basePath: "/base" }), SEVEN, `/base${ALL}`);
  expect(answer.flags).toHaveLength(1);
  expect(answer.eventStreams).toEqual([{ type: "sse", endpoint: { requestUri: uri } }]);
  expect(uri).toMatch(/^\/base\/proxy\/stream\?token=[\w-]+$/);
});

test.each<[string, Partial<ProxyConfig>, object]>([
  ["it is off", { ofrepEventStreams: false }, SEVEN],
  ["there are no streams", { push: { ...proxyConfig().push, maxStreams: 0 } }, SEVEN],
  ["the context is too large for an address", {}, { context: { note: "x".repeat(5000) } }],
])("ofrepEventStreams: no answer names a stream when %s", async (_when, config, body) => {
  const { answer, etag } = await answerTo(await start(config), body);
  expect(Object.keys(answer)).toEqual(["flags"]);
  expect(etag).not.toBe("");
});

test("a stream says when to ask again: at first, and when the answer for its context is another", async () => {
  const proxy = await start();
  const { uri = "" } = await answerTo(proxy);
  const stream = await readEvents(proxy.url + uri);
  const first = await stream.next();
  expect(first.name).toBe("message");
  expect(JSON.parse(first.data)).toEqual({ type: "refetchEvaluation", etag: first.id });

  // Neither makes a difference to user 7.
  const other = flag("for-user-8", { strategies: [withConstraint("userId", ["8"])] });
  proxy.source.replace({ features: [FOR_7, other] });
  proxy.source.replace({ features: [FOR_7, flag("off", { enabled: false })] });
  proxy.source.replace({ features: [flag("for-user-7")] });
  const second = await stream.next();
  expect(second.id).not.toBe(first.id);
  expect(stream.waiting()).toBe(0);
});

test("a stream that is resumed repeats nothing", async () => {
  const proxy = await start();
  const { uri = "" } = await answerTo(proxy);
  const { id } = await (await readEvents(proxy.url + uri)).next();
  const resumed = await readEvents(proxy.url + uri, { headers: { "last-event-id": id } });
  proxy.source.replace({ features: [] });
  expect((await resumed.next()).id).not.toBe(id);
});

test("enableAllEndpoint: a stream minds flags that are off, too", async () => {
  const proxy = await start({ allEndpointEnabled: true });
  const { uri = "" } = await answerTo(proxy);
  const stream = await readEvents(proxy.url + uri);
  const first = await stream.next();
  proxy.source.replace({ features: [FOR_7, flag("off", { enabled: false })] });
  expect((await stream.next()).id).not.toBe(first.id);
});

test("the address is the same as long as the context is, on every replica and after a change", async () => {
  const [one, two] = [await start(), await start()];
  const first = await answerTo(one);
  expect(await answerTo(two)).toEqual(first);
  expect((await answerTo(one, { context: { targetingKey: "8" } })).uri).not.toBe(first.uri);
  one.source.replace({ features: [flag("new")] });
  const changed = await answerTo(one);
  expect(changed.uri).toBe(first.uri);
  expect(changed.etag).not.toBe(first.etag);
});

test("a 304 is for who has the flags and the address", async () => {
  const proxy = await start();
  const { etag } = await answerTo(proxy);
  expect((await proxy.post(ALL, SEVEN, { "if-none-match": etag })).status).toBe(304);
  const without = await answerTo(await start({ ofrepEventStreams: false }));
  expect(without.etag).not.toBe(etag);
});

test("a user without a session is in the same half each time, and so is the stream", async () => {
  const features = Array.from({ length: 20 }, (_, index) =>
    flag(`half-${index}`, {
      strategies: [
        {
          ...HALF_OF_SESSIONS,
          parameters: { ...HALF_OF_SESSIONS.parameters, groupId: `${index}` },
        },
      ],
    }),
  );
  const proxy = await start({}, features);
  const first = await answerTo(proxy);
  expect(await answerTo(proxy)).toEqual(first);
  expect(first.answer.flags.length).toBeGreaterThan(0);
  const session = { context: { ...SEVEN.context, sessionId: "another" } };
  expect((await answerTo(proxy, session)).answer.flags).not.toEqual(first.answer.flags);
});
