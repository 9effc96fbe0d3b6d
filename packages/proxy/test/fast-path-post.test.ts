import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { expect, onTestFinished, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { SAMPLE } from "./_documents.ts";
import { sendRaw, DOCUMENT, expectSameOnBothPaths, requestHeaders } from "./_fast-path.ts";
import { KEY, MemoryLogger, startProxy, type TestProxy } from "./_proxy.ts";

const PATHS = ["/proxy", "/base/api/frontend", "/base/api/proxy"];
const JSON_TYPE = { "content-type": "application/json" };

/** Starts a proxy that records the URLs of the requests that reach its framework. */
async function startWatched(path: string, document: TestDocument): Promise<Watched> {
  const seen: string[] = [];
  const logger = new MemoryLogger();
  const proxy = await startProxy({
    document,
    config: { basePath: path.startsWith("/base") ? "/base" : "", logger },
    extend: (app) => {
      app.addHook("onRequest", async ({ url }) => void seen.push(url));
    },
  });
  return { proxy, seen, logger };
}

type TestDocument = typeof SAMPLE | typeof DOCUMENT;

interface Watched {
  readonly proxy: TestProxy;
  readonly seen: readonly string[];
  readonly logger: MemoryLogger;
}

const value = fc.oneof(
  fc.constantFrom("", "1", "pro", "10.1.1.1", "ø", "\u2028", "\ud800"),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const names = ["remoteAddress", "plan", "appName", "environment", "__proto__", "constructor"];
const values = fc.dictionary(fc.constantFrom(...names), value);
const toggles = fc.array(fc.constantFrom("plain", "off", "half-1", "colour", "none", "__proto__"));

const requestBody = fc.record({
  context: values,
  properties: values,
  more: fc.record({ toggles }, { requiredKeys: [] }),
});

test.each(PATHS)("POST %s bypasses the framework, and the response is the same", async (path) => {
  const { proxy, seen } = await startWatched(path, DOCUMENT);
  await fc.assert(
    fc.asyncProperty(
      requestBody,
      requestHeaders,
      async ({ context, properties, more }, headers) => {
        // With ids the response is not random.
        const complete = { ...context, userId: "u", sessionId: "s", properties };
        const body = JSON.stringify({ ...more, context: complete });
        const sent = { ...headers, ...JSON_TYPE };
        const response = await expectSameOnBothPaths(proxy, path, { body, headers: sent });
        const conditional = { ...sent, "if-none-match": response.headers.etag ?? "" };
        const again = await expectSameOnBothPaths(proxy, path, { body, headers: conditional });
        expect([response.status, again.status]).toEqual([200, 304]);
      },
    ),
    { numRuns: fuzzRuns(10, 60) },
  );
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.filter((url) => url !== `${path}/`)).toEqual([]);
});

const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    value,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom("context", "toggles", "properties", "userId", "currentTime", "__proto__"),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;
const valid = requestBody.map(({ context, properties, more }) => ({
  ...more,
  context: { ...context, properties },
}));
const json = fc
  .oneof(anything, fc.record({ context: anything, toggles: anything }), valid)
  .map((body) => JSON.stringify(body));
/** Valid JSON, and JSON from which something was removed or to which something was added. */
const bodies = fc.oneof(
  json,
  fc
    .tuple(json, fc.nat(100), fc.nat(2), fc.constantFrom("", "\ufeff", "é", "\\", '"', "{", "\0"))
    .map(([text, at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut)),
);

test.each(PATHS)("POST %s: both paths send the same for valid and invalid bodies", async (path) => {
  const { proxy, logger } = await startWatched(path, SAMPLE);
  const statuses = new Set<number | undefined>();
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const response = await expectSameOnBothPaths(proxy, path, { body, headers: JSON_TYPE });
      statuses.add(response.status);
    }),
    { numRuns: fuzzRuns(20, 200) },
  );
  expect(statuses).toEqual(new Set([200, 400]));
  expect(logger.lines).toEqual([]);
});

test.each(PATHS)("POST %s: both paths reject the same nesting", async (path) => {
  const { proxy } = await startWatched(path, SAMPLE);
  const statusFor = async (depth: number): Promise<number | undefined> => {
    const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const body = `{"context":{},"more":${nested}}`;
    return (await expectSameOnBothPaths(proxy, path, { body, headers: JSON_TYPE })).status;
  };
  expect([await statusFor(50), await statusFor(101)]).toEqual([200, 400]);
});

const forUser7 = '{"context":{"userId":"7"}}';
const filled = (length: number): string => forUser7.padEnd(length);

test.each<[string, string | Buffer, number, boolean]>([
  ["an empty body", "", 400, false],
  ["null", "null", 400, false],
  ["a list", "[]", 400, false],
  ["invalid JSON", "{context", 400, false],
  ["an empty context", '{"context":{}}', 200, true],
  ["a repeated context", '{"context":{"userId":"1"},"context":{"userId":"7"}}', 200, true],
  ["an inherited context", '{"__proto__":{"context":{}}}', 400, false],
  ["a value called __proto__", '{"context":{"__proto__":"x"}}', 200, true],
  ["an object called __proto__", '{"context":{"__proto__":{"userId":"7"}}}', 400, false],
  ["an invalid time", '{"context":{"currentTime":"soon"}}', 400, false],
  ["an infinite number", '{"context":{"userId":1e999}}', 400, false],
  ["an empty list of toggles", '{"context":{},"toggles":[]}', 200, true],
  ["named toggles", '{"context":{},"toggles":["off","on","on","none"]}', 200, true],
  ["toggles of a wrong type", '{"context":{},"toggles":[1]}', 400, false],
  ["a byte order mark", `\ufeff${forUser7}`, 200, false],
  ["invalid UTF-8", Buffer.from('{"context":{"userId":"\xff"}}', "latin1"), 200, true],
  ["a body of 16 KiB", filled(16 * 1024), 200, true],
  ["a longer body", filled(16 * 1024 + 1), 200, false],
  ["a much longer body", filled(500_000), 200, false],
])("POST /proxy with %s: both paths send the same", async (_, body, status, isFast) => {
  const { proxy, seen } = await startWatched("/proxy", SAMPLE);
  const response = await expectSameOnBothPaths(proxy, "/proxy", { body, headers: JSON_TYPE });
  expect(response.status).toBe(status);
  expect(seen.includes("/proxy")).toBe(!isFast);
});

test.each<[string, string, number, boolean]>([
  ["a list", '{"context":{"userId":"u","sessionId":"s","roles":["a"]}}', 200, true],
  ["an object", '{"userId":"u","sessionId":"s","properties":{"a":{"b":1}}}', 200, true],
  ["an object called __proto__", '{"userId":"u","__proto__":{"sessionId":"s"}}', 200, true],
  ["an infinite number", '{"userId":"u","sessionId":"s","plan":1e999}', 200, true],
  ["a context that is a list", '{"context":[]}', 400, false],
])("POST /api/frontend with %s: both paths send the same", async (_, body, status, isFast) => {
  const { proxy, seen } = await startWatched("/api/frontend", SAMPLE);
  const response = await expectSameOnBothPaths(proxy, "/api/frontend", {
    body,
    headers: JSON_TYPE,
  });
  expect(response.status).toBe(status);
  expect(seen.includes("/api/frontend")).toBe(!isFast);
});

test.each<[string, object, number, boolean]>([
  ["a charset", { "content-type": "application/json; charset=utf-8" }, 200, true],
  ["capitals", { "content-type": "Application/JSON;charset=UTF-8" }, 200, true],
  ["another charset", { "content-type": "application/json; charset=latin1" }, 200, false],
  ["no type", {}, 200, false],
  ["another type", { "content-type": "text/plain" }, 415, false],
  ["a broken type", { "content-type": "application/json; x" }, 200, false],
  ["a wrong key", { ...JSON_TYPE, authorization: "wrong" }, 401, false],
])("POST /proxy with %s: both paths send the same", async (_, headers, status, isFast) => {
  const { proxy, seen } = await startWatched("/proxy", SAMPLE);
  const response = await expectSameOnBothPaths(proxy, "/proxy", { body: forUser7, headers });
  expect(response.status).toBe(status);
  expect(seen.includes("/proxy")).toBe(!isFast);
});

test("POST /proxy with a compressed body: both paths send the same", async () => {
  const proxy = await startProxy();
  const headers = { ...JSON_TYPE, "content-encoding": "gzip" };
  const compared = { body: gzipSync(forUser7), headers };
  expect((await expectSameOnBothPaths(proxy, "/proxy", compared)).status).toBe(200);
});

test("POST /proxy/all is not handled as POST /proxy", async () => {
  const proxy = await startProxy();
  expect((await sendRaw(proxy, "/proxy/all", JSON_TYPE, forUser7)).status).toBe(501);
});

test("POST: different bodies and paths have different responses", async () => {
  const { post, source } = await startProxy();
  const on = async (path: string, userId: string): Promise<string> =>
    (await post(path, { context: { userId } })).text();
  const sendAll = async (): Promise<string[]> => [
    await on("/proxy", "7"),
    await on("/proxy", "8"),
    await on("/api/frontend", "7"),
    await on("/api/frontend", "8"),
  ];
  const first = await sendAll();
  expect(new Set(first).size).toBe(4);
  // Repeated responses may come from the cache.
  expect(await sendAll()).toEqual(first);
  expect(await sendAll()).toEqual(first);
  source.replace({ features: [] });
  expect(await on("/proxy", "7")).toBe('{"toggles":[]}');
});

test("POST requests of the official client bypass the framework", async () => {
  const { proxy, seen } = await startWatched("/proxy", SAMPLE);
  const client = new UnleashClient({
    url: `${proxy.url}/proxy`,
    clientKey: KEY,
    appName: "shop",
    context: { userId: "7", properties: { plan: "gold" } },
    usePOSTrequests: true,
    disableMetrics: true,
    storageProvider: new InMemoryStorageProvider(),
    fetch,
  });
  onTestFinished(() => client.stop());
  await client.start();
  expect(client.isEnabled("for-user-7")).toBe(true);
  expect(seen).toEqual([]);
});

test("POST /proxy is counted like a request to the framework", async () => {
  const { proxy } = await startWatched("/proxy", SAMPLE);
  await sendRaw(proxy, "/proxy", JSON_TYPE, forUser7);
  await sendRaw(proxy, "/proxy", JSON_TYPE, forUser7);
  await sendRaw(proxy, "/proxy", JSON_TYPE, "null");
  const metrics = await sendRaw(proxy, "/proxy/internal-backstage/prometheus", {});
  const count = 'flags_proxy_http_requests_total{method="POST",route="/proxy",status=';
  expect(metrics.body).toContain(`${count}"200"} 2`);
  expect(metrics.body).toContain(`${count}"400"} 1`);
});

/** Opens a connection, to control which bytes arrive together. */
function dial({ port }: TestProxy): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

interface Head {
  readonly length?: number;
  readonly more?: string;
}

function headOf(path: string, { length = forUser7.length, more = "" }: Head = {}): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: ${KEY}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
  );
}

const HANG_UP = { more: "Connection: close\r\n" };

/** Writes the first part, and the others once the request has arrived. Returns the responses. */
async function send(proxy: TestProxy, first: string, ...others: readonly string[]) {
  const socket = dial(proxy);
  const arrived = once(proxy.app.server, "request");
  socket.write(first);
  await arrived;
  for (const part of others) socket.write(part);
  const text = await textOf(socket);
  return {
    statuses: [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    names: [...text.matchAll(/"name":"([^"]+)","enabled":true,"variant"/g)].map(([, name]) => name),
    errors: [...text.matchAll(/"error":"[^"]+"/g)].map(String),
  };
}

const half = forUser7.length / 2;

interface Transfer {
  readonly write: (path: string) => readonly [string, ...string[]];
  readonly statuses: readonly number[];
  /** How many of the requests reach the framework. */
  readonly left: number;
}

test.each<[string, Transfer]>([
  ["at once", { write: (path) => [headOf(path, HANG_UP) + forUser7], statuses: [200], left: 0 }],
  [
    "after its head",
    { write: (path) => [headOf(path, HANG_UP), forUser7], statuses: [200], left: 0 },
  ],
  [
    "in two parts",
    {
      write: (path) => [headOf(path, HANG_UP) + forUser7.slice(0, half), forUser7.slice(half)],
      statuses: [200],
      left: 1,
    },
  ],
  [
    "after `100 Continue`",
    {
      write: (path) => [
        headOf(path, { more: `Expect: 100-continue\r\n${HANG_UP.more}` }),
        forUser7,
      ],
      statuses: [100, 200],
      left: 0,
    },
  ],
  [
    "in chunks",
    {
      write: (path) => [
        headOf(path, HANG_UP).replace(/Content-Length: \d+/, "Transfer-Encoding: chunked") +
          `${forUser7.length.toString(16)}\r\n${forUser7}\r\n0\r\n\r\n`,
      ],
      statuses: [200],
      left: 1,
    },
  ],
  [
    "invalid and at once",
    { write: (path) => [`${headOf(path, { ...HANG_UP, length: 1 })}{`], statuses: [400], left: 1 },
  ],
  [
    "invalid and after its head",
    { write: (path) => [headOf(path, { ...HANG_UP, length: 1 }), "{"], statuses: [400], left: 1 },
  ],
  [
    "before an invalid one",
    {
      write: (path) => [`${headOf(path)}${forUser7}${headOf(path, { ...HANG_UP, length: 1 })}{`],
      statuses: [200, 400],
      left: 1,
    },
  ],
  [
    "before a valid one",
    {
      write: (path) => [headOf(path) + forUser7 + headOf(path, HANG_UP) + forUser7],
      statuses: [200, 200],
      left: 0,
    },
  ],
])(
  "POST /proxy whose body arrives %s: both paths send the same",
  async (_, { write, statuses, left }) => {
    const watched = await startWatched("/proxy", SAMPLE);
    const fast = await send(watched.proxy, ...write("/proxy"));
    const framework = await send(await startProxy(), ...write("/proxy/"));
    expect(fast).toEqual(framework);
    expect(fast.statuses).toEqual(statuses);
    expect(watched.seen).toHaveLength(left);
  },
);

test("POST /proxy with more bytes than its length: the rest affects neither its response nor other requests", async () => {
  const proxy = await startProxy();
  const { statuses } = await send(proxy, `${headOf("/proxy")}${forUser7}more`);
  expect(statuses).toEqual([200]);
  expect((await sendRaw(proxy, "/proxy", JSON_TYPE, forUser7)).status).toBe(200);
});

test.each([
  ["before", ""],
  ["within", forUser7.slice(0, half)],
])("a connection that is lost %s the body affects no other request", async (_, part) => {
  const { proxy, logger } = await startWatched("/proxy", SAMPLE);
  const arrived = once(proxy.app.server, "request") as Promise<[IncomingMessage]>;
  const socket = dial(proxy);
  socket.write(headOf("/proxy") + part);
  const [request] = await arrived;
  const gone = new Promise((resolve) => void request.on("close", resolve));
  socket.destroy();
  await gone;
  expect((await sendRaw(proxy, "/proxy", JSON_TYPE, forUser7)).status).toBe(200);
  expect(logger.lines).toEqual([]);
});

test("the proxy waits for a body that is arriving when it closes", async () => {
  const proxy = await startProxy();
  const arrived = once(proxy.app.server, "request");
  const socket = dial(proxy);
  socket.write(headOf("/proxy", HANG_UP));
  await arrived;
  const closed = proxy.app.close();
  socket.write(forUser7);
  expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200/);
  await closed;
});

test("POST /proxy runs enrichers", async () => {
  const proxy = await startProxy({
    config: { contextEnrichers: [(context) => ({ ...context, userId: "7" })] },
  });
  const { body } = await sendRaw(proxy, "/proxy", JSON_TYPE, '{"context":{}}');
  expect(body).toContain("for-user-7");
});
