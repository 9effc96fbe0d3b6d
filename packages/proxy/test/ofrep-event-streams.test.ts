import { expect, test } from "vitest";
import type { ProxyConfig } from "../src/config/config.ts";
import { HALF_OF_SESSIONS, flag, withConstraint } from "./_documents.ts";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { proxyConfig, startProxy, type RunningApp } from "./_proxy.ts";

const ALL = "/ofrep/v1/evaluate/flags";
const FOR_7 = flag("for-user-7", { strategies: [withConstraint("userId", ["7"])] });
const SEVEN = { context: { targetingKey: "7" } };

const start = (config: Partial<ProxyConfig> = {}, features: readonly object[] = [FOR_7]) =>
  startProxy({ document: { features }, config: { ofrepEventStreams: true, ...config } });

interface EvaluationResponse {
  readonly flags: readonly object[];
  readonly eventStreams?: readonly {
    readonly type: string;
    readonly endpoint: { readonly requestUri: string };
  }[];
}

async function evaluate({ post }: RunningApp, body: object = SEVEN, path = ALL) {
  const response = await post(path, body);
  expect(response.status).toBe(200);
  const result = (await response.json()) as EvaluationResponse;
  const uri = result.eventStreams?.[0]?.endpoint.requestUri;
  return { result, uri, etag: response.headers.get("etag") ?? "" };
}

test("ofrepEventStreams: a response contains the URL of a stream, without an origin", async () => {
  const { result, uri } = await evaluate(await start({ basePath: "/base" }), SEVEN, `/base${ALL}`);
  expect(result.flags).toHaveLength(1);
  expect(result.eventStreams).toEqual([{ type: "sse", endpoint: { requestUri: uri } }]);
  expect(uri).toMatch(/^\/base\/proxy\/stream\?token=[\w-]+$/);
});

test.each<[string, Partial<ProxyConfig>, object]>([
  ["it is disabled", { ofrepEventStreams: false }, SEVEN],
  ["streams are disabled", { push: { ...proxyConfig().push, maxStreams: 0 } }, SEVEN],
  ["the context is too large for a URL", {}, { context: { note: "x".repeat(5000) } }],
])("ofrepEventStreams: no response contains a stream if %s", async (_when, config, body) => {
  const { result, etag } = await evaluate(await start(config), body);
  expect(Object.keys(result)).toEqual(["flags"]);
  expect(etag).not.toBe("");
});

test("a stream sends a refetch event initially and whenever the flags for its context change", async () => {
  const proxy = await start();
  const { uri = "" } = await evaluate(proxy);
  const stream = await readEvents(proxy.url + uri);
  const first = await stream.next();
  expect(first.name).toBe("message");
  expect(JSON.parse(first.data)).toEqual({ type: "refetchEvaluation", etag: first.id });

  // The first two changes do not affect user 7.
  const other = flag("for-user-8", { strategies: [withConstraint("userId", ["8"])] });
  proxy.source.replace({ features: [FOR_7, other] });
  proxy.source.replace({ features: [FOR_7, flag("off", { enabled: false })] });
  proxy.source.replace({ features: [flag("for-user-7")] });
  const second = await stream.next();
  expect(second.id).not.toBe(first.id);
  expect(stream.waiting()).toBe(0);
});

test("a resumed stream does not send the same event again", async () => {
  const proxy = await start();
  const { uri = "" } = await evaluate(proxy);
  const { id } = await (await readEvents(proxy.url + uri)).next();
  const resumed = await readEvents(proxy.url + uri, { headers: { "last-event-id": id } });
  proxy.source.replace({ features: [] });
  expect((await resumed.next()).id).not.toBe(id);
});

test("enableAllEndpoint: a stream also sends changes of flags that are off", async () => {
  const proxy = await start({ enableAllEndpoint: true });
  const { uri = "" } = await evaluate(proxy);
  const stream = await readEvents(proxy.url + uri);
  const first = await stream.next();
  proxy.source.replace({ features: [FOR_7, flag("off", { enabled: false })] });
  expect((await stream.next()).id).not.toBe(first.id);
});

test("the URL depends only on the context: it is the same on every replica and after a change", async () => {
  const [one, two] = [await start(), await start()];
  const first = await evaluate(one);
  expect(await evaluate(two)).toEqual(first);
  expect((await evaluate(one, { context: { targetingKey: "8" } })).uri).not.toBe(first.uri);
  one.source.replace({ features: [flag("new")] });
  const changed = await evaluate(one);
  expect(changed.uri).toBe(first.uri);
  expect(changed.etag).not.toBe(first.etag);
});

test("304 only for a client that has the flags and the URL", async () => {
  const proxy = await start();
  const { etag } = await evaluate(proxy);
  expect((await proxy.post(ALL, SEVEN, { "if-none-match": etag })).status).toBe(304);
  const without = await evaluate(await start({ ofrepEventStreams: false }));
  expect(without.etag).not.toBe(etag);
});

test("a user without a session id gets the same flags each time", async () => {
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
  const first = await evaluate(proxy);
  expect(await evaluate(proxy)).toEqual(first);
  expect(first.result.flags.length).toBeGreaterThan(0);
  const session = { context: { ...SEVEN.context, sessionId: "another" } };
  expect((await evaluate(proxy, session)).result.flags).not.toEqual(first.result.flags);
});
