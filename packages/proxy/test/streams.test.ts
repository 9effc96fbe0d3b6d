import { expect, test } from "vitest";
import { flag, SAMPLE, withConstraint } from "./_documents.ts";
import { readEvents, type EventReader } from "../../server-kit/test/_event-reader.ts";
import { namesIn } from "./_stream-events.ts";
import {
  errorOf,
  KEY,
  OTHER_KEY,
  proxyConfig,
  startProxy,
  type RunningApp,
  type TestProxy,
} from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

interface StreamUrl {
  readonly url: string;
  readonly expiresAt: string;
}

const FOR_7 = flag("for-user-7", { strategies: [withConstraint("userId", ["7"])] });
const FOR_8 = flag("for-user-8", { strategies: [withConstraint("userId", ["8"])] });

async function requestUrl({ post }: Pick<RunningApp, "post">, body: object): Promise<StreamUrl> {
  const response = await post("/proxy/stream", body);
  expect(response.status).toBe(201);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.json()) as StreamUrl;
}

/** Opens a stream as a browser does, with nothing but the URL. */
async function openStream(proxy: Pick<RunningApp, "post">, body: object): Promise<EventReader> {
  return readEvents((await requestUrl(proxy, body)).url);
}

/** Opens a stream as a program that can send a key and a body. */
function openWithKey({ url }: RunningApp, body: object, headers = {}): Promise<EventReader> {
  return readEvents(`${url}/proxy/stream`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      authorization: KEY,
      "content-type": "application/json",
      accept: "text/event-stream",
      ...headers,
    },
  });
}

test("POST /proxy/stream issues a URL whose stream begins with the response of a poll", async () => {
  const proxy = await startProxy();
  const before = Date.now();
  const { url, expiresAt } = await requestUrl(proxy, { context: { userId: "7" } });
  expect(url.startsWith(`${proxy.url}/proxy/stream?token=`)).toBe(true);
  expect(Date.parse(expiresAt)).toBeGreaterThan(before + 60_000);

  const stream = await readEvents(url, { headers: { origin: "http://shop.test" } });
  expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(stream.headers.get("cache-control")).toBe("no-store, no-transform");
  expect(stream.headers.get("access-control-allow-origin")).toBe("*");
  const polled = await proxy.request("/proxy?userId=7");
  const event = await stream.next();
  expect(event).toEqual({
    name: "toggles",
    id: polled.headers.get("etag"),
    data: await polled.text(),
  });
  expect(stream.retries[0]).toBeGreaterThanOrEqual(1000);
});

test("a stream sends an event only if the flags for its context change", async () => {
  const proxy = await startProxy({ document: { features: [FOR_7] } });
  const seven = await openStream(proxy, { context: { userId: "7" } });
  const eight = await openStream(proxy, { context: { userId: "8" } });
  expect(namesIn(await seven.next())).toEqual(["for-user-7"]);
  expect(namesIn(await eight.next())).toEqual([]);

  // None of these changes affects user 7.
  proxy.source.replace({ features: [FOR_7, FOR_8] });
  expect(namesIn(await eight.next())).toEqual(["for-user-8"]);
  proxy.source.replace({ features: [FOR_7, FOR_8, flag("off", { enabled: false })] });
  proxy.source.replace({ features: [FOR_7, FOR_8] });
  proxy.source.replace({ features: [FOR_7, FOR_8, flag("new")] });
  expect(namesIn(await seven.next())).toEqual(["for-user-7", "new"]);
  expect(namesIn(await eight.next())).toEqual(["for-user-8", "new"]);
  expect([seven.waiting(), eight.waiting()]).toEqual([0, 0]);
});

test("Last-Event-ID: the same event is not sent again, any other one is", async () => {
  const proxy = await startProxy({ document: { features: [FOR_7] } });
  const { url } = await requestUrl(proxy, { context: { userId: "7" } });
  const { id } = await (await readEvents(url)).next();

  const resumed = await readEvents(url, { headers: { "last-event-id": id } });
  proxy.source.replace({ features: [FOR_7, flag("new")] });
  expect(namesIn(await resumed.next())).toEqual(["for-user-7", "new"]);
  const late = await readEvents(url, { headers: { "last-event-id": id } });
  expect(namesIn(await late.next())).toEqual(["for-user-7", "new"]);
});

test("Accept: text/event-stream: the response is the stream itself", async () => {
  const proxy = await startProxy({ document: { features: [FOR_7] } });
  const stream = await openWithKey(proxy, { context: { userId: "7", note: "x".repeat(9000) } });
  const event = await stream.next();
  expect(namesIn(event)).toEqual(["for-user-7"]);

  const body = { context: { userId: "7" } };
  const resumed = await openWithKey(proxy, body, { "last-event-id": event.id });
  proxy.source.replace({ features: [] });
  expect(namesIn(await resumed.next())).toEqual([]);
  expect(namesIn(await stream.next())).toEqual([]);
});

test("toggles: sends the named toggles, on or off, and only their changes", async () => {
  const proxy = await startProxy({ document: { features: [FOR_7, FOR_8] } });
  const body = { context: { userId: "7" }, toggles: ["for-user-8", "unknown"] };
  const stream = await openStream(proxy, body);
  const polled = await proxy.post("/proxy", body);
  expect((await stream.next()).data).toBe(await polled.text());
  proxy.source.replace({ features: [FOR_8] });
  proxy.source.replace({ features: [FOR_8, flag("unknown")] });
  expect(namesIn(await stream.next())).toEqual(["unknown"]);
});

test("toggles: a stream accepts at most 100 names", async () => {
  const { post } = await startProxy();
  const toggles = Array.from({ length: 101 }, (_, index) => `flag-${index}`);
  const send = (names: readonly string[]) => post("/proxy/stream", { context: {}, toggles: names });
  expect((await send(toggles.slice(1))).status).toBe(201);
  const rejected = await send(toggles);
  expect(rejected.status).toBe(400);
  expect(await rejected.text()).toContain("`toggles` has more than 100 entries");
});

test("all: sends the same as /proxy/all if that is enabled", async () => {
  const proxy = await startProxy({ config: { enableAllEndpoint: true } });
  const stream = await openStream(proxy, { context: { userId: "7" }, all: true });
  const polled = await proxy.request("/proxy/all?userId=7");
  expect((await stream.next()).data).toBe(await polled.text());
});

test("all: 501 if that is disabled, even for a URL of another proxy", async () => {
  const [on, off] = [
    await startProxy({ config: { enableAllEndpoint: true } }),
    await startProxy({ config: {} }),
  ];
  const refused = await off.post("/proxy/stream", { context: {}, all: true });
  expect(refused.status).toBe(501);
  expect((await errorOf(refused)).error).toContain("ENABLE_ALL_ENDPOINT");
  const { search } = new URL((await requestUrl(on, { context: {}, all: true })).url);
  expect((await fetch(`${off.url}/proxy/stream${search}`)).status).toBe(501);
});

test("a URL is valid at every proxy with the same settings, and at no other", async () => {
  const proxy = await startProxy();
  const { search } = new URL((await requestUrl(proxy, { context: { userId: "7" } })).url);
  const at = async (config: object): Promise<number> => {
    const other = await startProxy({ config });
    const response = await fetch(`${other.url}/proxy/stream${search}`);
    await response.body?.cancel();
    return response.status;
  };
  expect(await at({})).toBe(200);
  expect(await at({ clientKeys: [KEY, "a-new-one"] })).toBe(200);
  expect(await at({ clientKeys: [OTHER_KEY] })).toBe(401);
  expect(await at({ upstreamTokens: ["another"] })).toBe(401);
  expect(await at({ push: { ...proxyConfig().push, secret: "mine" } })).toBe(401);
});

test("a URL reveals neither the key nor the context", async () => {
  const proxy = await startProxy();
  const { url } = await requestUrl(proxy, { context: { userId: "jane@shop.test" } });
  const token = new URL(url).searchParams.get("token") ?? "";
  const bytes = Buffer.from(token, "base64url").toString("latin1");
  for (const text of ["jane", "userId", KEY]) expect(`${url} ${bytes}`).not.toContain(text);
});

test.each([
  ["without a token", ""],
  ["with a made-up token", "?token=AAAA"],
  ["with two tokens", "?token=a&token=b"],
  ["with a key as token", `?token=${KEY}`],
])("GET /proxy/stream %s is a 401 with a hint", async (_, query) => {
  const { url } = await startProxy();
  // The key is ignored: the token must contain the context.
  const response = await fetch(`${url}/proxy/stream${query}`, { headers: { authorization: KEY } });
  expect(response.status).toBe(401);
  expect((await errorOf(response)).error).toContain("request a new URL by sending `POST`");
});

test("POST /proxy/stream requires a key and a context that fits into a URL", async () => {
  const proxy = await startProxy();
  const context = { note: "x".repeat(9000) };
  const post = (body: object, headers = {}) => proxy.post("/proxy/stream", body, headers);
  expect((await post({ context: {} }, { authorization: "wrong" })).status).toBe(401);
  expect((await errorOf(await post({}))).error).toBe("Bad request: `context` is required");
  expect((await errorOf(await post({ context: {}, all: "yes" }))).error).toContain("`all` must be");
  const tooLarge = await post({ context });
  expect(tooLarge.status).toBe(413);
  expect((await errorOf(tooLarge)).error).toContain("Accept: text/event-stream");
});

test("503 until flags have been received", async () => {
  const source = new DocumentSource();
  const proxy = await startProxy({ source });
  const [post, get] = [
    await proxy.post("/proxy/stream", { context: {} }),
    await proxy.request("/proxy/stream"),
  ];
  expect([post.status, get.status]).toEqual([503, 503]);
  source.replace({ features: [flag("a")] });
  expect(namesIn(await (await openStream(proxy, { context: {} })).next())).toEqual(["a"]);
});

test("503 with Retry-After at the limit, until another stream is closed", async () => {
  const push = { ...proxyConfig().push, maxStreams: 1, maxAgeSeconds: 60 };
  const proxy = await startProxy({ config: { push } });
  const { url } = await requestUrl(proxy, { context: {} });
  const first = await fetch(url);
  for (const response of [await fetch(url), await proxy.post("/proxy/stream", { context: {} })]) {
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await errorOf(response)).error).toContain("cannot open another stream");
  }
  await first.body?.cancel();
  await expect.poll(async () => (await fetch(url)).status).toBe(200);
});

test("push.maxStreams: 0 disables streams, and the error says so", async () => {
  const push = { ...proxyConfig().push, maxStreams: 0, maxAgeSeconds: 60 };
  const proxy = await startProxy({ config: { push } });
  const [post, get] = [
    await proxy.post("/proxy/stream", { context: {} }),
    await proxy.request("/proxy/stream?token=x"),
  ];
  expect([post.status, get.status]).toEqual([501, 501]);
  expect((await errorOf(post)).error).toContain("FLAGS_PUSH_MAX_STREAMS");
});

test("base path and forwarded origin are part of the URL", async () => {
  const proxy = await startProxy({ config: { basePath: "/flags", trustProxy: true } });
  const response = await proxy.post(
    "/flags/proxy/stream?x=1",
    { context: {} },
    { "x-forwarded-proto": "https", "x-forwarded-host": "flags.shop.test" },
  );
  const { url } = (await response.json()) as StreamUrl;
  expect(url).toMatch(/^https:\/\/flags\.shop\.test\/flags\/proxy\/stream\?token=[\w-]+$/);
  const stream = await readEvents(`${proxy.url}/flags/proxy/stream${new URL(url).search}`);
  expect((await stream.next()).name).toBe("toggles");
});

test("enrichers receive the request for the URL, and their context applies to the stream", async () => {
  const seen: unknown[] = [];
  const proxy = await startProxy({
    document: { features: [FOR_7] },
    config: {
      contextEnrichers: [
        async (context, { headers }) => {
          seen.push(headers["x-user"]);
          return { ...context, userId: headers["x-user"] ?? "nobody" };
        },
      ],
    },
  });
  const response = await proxy.post("/proxy/stream", { context: {} }, { "x-user": "7" });
  const { url } = (await response.json()) as StreamUrl;
  const stream = await readEvents(url);
  expect(namesIn(await stream.next())).toEqual(["for-user-7"]);
  expect(seen).toEqual(["7"]);
});

test("a client without a session id keeps the generated one", async () => {
  const half = { name: "flexibleRollout", parameters: { rollout: "50", stickiness: "sessionId" } };
  const features = Array.from({ length: 40 }, (_, index) =>
    flag(`half-${index}`, {
      strategies: [{ ...half, parameters: { ...half.parameters, groupId: `half-${index}` } }],
    }),
  );
  const proxy = await startProxy({ document: { features } });
  const { url } = await requestUrl(proxy, { context: {} });
  const [one, two] = [await readEvents(url), await readEvents(url)];
  expect((await one.next()).id).toBe((await two.next()).id);
});

test("events arrive in the order of changes, even if flags change fast", async () => {
  const version = (number: number): object =>
    flag("version", {
      variants: [
        {
          name: "v",
          weight: 1000,
          stickiness: "default",
          payload: { type: "number", value: `${number}` },
        },
      ],
    });
  const proxy = await startProxy({ document: { features: [version(0)] } });
  const streams = await Promise.all(
    Array.from({ length: 15 }, (_, index) =>
      openStream(proxy, { context: { userId: `${index}` } }),
    ),
  );
  for (let number = 1; number <= 300; number++) {
    proxy.source.replace({ features: [version(number)] });
    // oxlint-disable-next-line no-await-in-loop -- lets some streams send in between
    if (number % 3 === 0) await new Promise(setImmediate);
  }
  for (const stream of streams) {
    let last = -1;
    while (last < 300) {
      // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
      const { data } = await stream.next();
      const number = Number(/"value":"(\d+)"/.exec(data)?.[1]);
      expect(number).toBeGreaterThan(last);
      last = number;
    }
    expect(stream.waiting()).toBe(0);
  }
});

test("a proxy that closes ends its streams with different reconnection delays", async () => {
  const proxy: TestProxy = await startProxy();
  const streams = await Promise.all([1, 2, 3].map(() => openStream(proxy, { context: {} })));
  await Promise.all(streams.map((stream) => stream.next()));
  const closed = proxy.close();
  await Promise.all(streams.map(({ ended }) => ended));
  await closed;
  const last = streams.map(({ retries }) => retries.at(-1) ?? 0);
  for (const delay of last) expect(delay).toBeGreaterThanOrEqual(1000);
  expect(new Set(last).size).toBeGreaterThan(1);
});

test("HEAD /proxy/stream opens no stream", async () => {
  const { url } = await startProxy();
  expect((await fetch(`${url}/proxy/stream`, { method: "HEAD" })).status).toBe(405);
});

test("Prometheus metrics count open streams and sent events", async () => {
  const proxy = await startProxy({ document: SAMPLE });
  const read = async (name: string): Promise<number> => {
    const text = await (await proxy.request("/proxy/internal-backstage/prometheus")).text();
    return Number(new RegExp(`^flags_proxy_push_${name} (\\d+)$`, "m").exec(text)?.[1]);
  };
  const { url } = await requestUrl(proxy, { context: {} });
  const response = await fetch(url);
  expect(await read("streams")).toBe(1);
  proxy.source.replace({ features: [] });
  await expect.poll(() => read("events_total")).toBe(2);
  await response.body?.cancel();
  await expect.poll(() => read("streams")).toBe(0);
  expect(await read("streams_opened_total")).toBe(1);
  expect(await read("streams_refused_total")).toBe(0);
  expect(await read("streams_dropped_total")).toBe(0);
});

test.each(["/api/frontend", "/api/proxy"])(
  "%s/stream sends toggles in the format of that API",
  async (path) => {
    const proxy = await startProxy();
    // Values that the API ignores are ignored here, too.
    const body = { context: { userId: "7", roles: ["a"], properties: [] } };
    const response = await proxy.post(`${path}/stream`, body);
    const { url } = (await response.json()) as StreamUrl;
    expect(url.startsWith(`${proxy.url}${path}/stream?token=`)).toBe(true);
    const polled = await proxy.post(path, body);
    expect(await (await readEvents(url)).next()).toEqual({
      name: "toggles",
      id: polled.headers.get("etag"),
      data: await polled.text(),
    });
  },
);
