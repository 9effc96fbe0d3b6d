import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { expect, onTestFinished, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { SAMPLE } from "./_documents.ts";
import { sendRaw, DOCUMENT, expectSameEachTime, requestHeaders } from "./_flag-requests.ts";
import { KEY, MemoryLogger, startProxy, type TestProxy } from "./_proxy.ts";

const PATHS = ["/proxy", "/base/api/frontend", "/base/api/proxy"];
const JSON_TYPE = { "content-type": "application/json" };

/** Starts a proxy whose log can be read. */
async function startWatched(path: string, document: TestDocument): Promise<Watched> {
  const logger = new MemoryLogger();
  const proxy = await startProxy({
    document,
    config: { basePath: path.startsWith("/base") ? "/base" : "", logger },
  });
  return { proxy, logger };
}

type TestDocument = typeof SAMPLE | typeof DOCUMENT;

interface Watched {
  readonly proxy: TestProxy;
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

test.each(PATHS)("POST %s: repeated requests have the same response", async (path) => {
  const { proxy } = await startWatched(path, DOCUMENT);
  await fc.assert(
    fc.asyncProperty(
      requestBody,
      requestHeaders,
      async ({ context, properties, more }, headers) => {
        // With ids the response is not random.
        const complete = { ...context, userId: "u", sessionId: "s", properties };
        const body = JSON.stringify({ ...more, context: complete });
        const sent = { ...headers, ...JSON_TYPE };
        const response = await expectSameEachTime(proxy, path, { body, headers: sent });
        const conditional = { ...sent, "if-none-match": response.headers.etag ?? "" };
        const again = await expectSameEachTime(proxy, path, { body, headers: conditional });
        expect([response.status, again.status]).toEqual([200, 304]);
      },
    ),
    { numRuns: fuzzRuns(10, 60) },
  );
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

const forUser7 = '{"context":{"userId":"7"}}';

test.each(PATHS)(
  "POST %s: repeated requests have the same response, for valid and invalid bodies",
  async (path) => {
    const { proxy, logger } = await startWatched(path, SAMPLE);
    const statuses = new Set<number | undefined>();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const response = await expectSameEachTime(proxy, path, { body, headers: JSON_TYPE });
        statuses.add(response.status);
      }),
      { numRuns: fuzzRuns(20, 200), examples: [[forUser7], ["{"]] },
    );
    expect(statuses).toEqual(new Set([200, 400]));
    expect(logger.lines).toEqual([]);
  },
);

test.each(PATHS)("POST %s rejects deep nesting", async (path) => {
  const { proxy } = await startWatched(path, SAMPLE);
  const statusFor = async (depth: number): Promise<number | undefined> => {
    const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const body = `{"context":{},"more":${nested}}`;
    return (await expectSameEachTime(proxy, path, { body, headers: JSON_TYPE })).status;
  };
  expect([await statusFor(50), await statusFor(101)]).toEqual([200, 400]);
});

const filled = (length: number): string => forUser7.padEnd(length);

test.each<[string, string | Buffer, number]>([
  ["an empty body", "", 400],
  ["null", "null", 400],
  ["a list", "[]", 400],
  ["invalid JSON", "{context", 400],
  ["an empty context", '{"context":{}}', 200],
  ["a repeated context", '{"context":{"userId":"1"},"context":{"userId":"7"}}', 200],
  ["an inherited context", '{"__proto__":{"context":{}}}', 400],
  ["a value called __proto__", '{"context":{"__proto__":"x"}}', 200],
  ["an object called __proto__", '{"context":{"__proto__":{"userId":"7"}}}', 400],
  ["an invalid time", '{"context":{"currentTime":"soon"}}', 400],
  ["an infinite number", '{"context":{"userId":1e999}}', 400],
  ["an empty list of toggles", '{"context":{},"toggles":[]}', 200],
  ["named toggles", '{"context":{},"toggles":["off","on","on","none"]}', 200],
  ["toggles of a wrong type", '{"context":{},"toggles":[1]}', 400],
  ["a byte order mark", `\ufeff${forUser7}`, 200],
  ["invalid UTF-8", Buffer.from('{"context":{"userId":"\xff"}}', "latin1"), 200],
  ["a body of 16 KiB", filled(16 * 1024), 200],
  ["a longer body", filled(16 * 1024 + 1), 200],
  ["a much longer body", filled(500_000), 200],
])("POST /proxy with %s", async (_, body, status) => {
  const { proxy } = await startWatched("/proxy", SAMPLE);
  const response = await expectSameEachTime(proxy, "/proxy", { body, headers: JSON_TYPE });
  expect(response.status).toBe(status);
});

test.each<[string, string, number]>([
  ["a list", '{"context":{"userId":"u","sessionId":"s","roles":["a"]}}', 200],
  ["an object", '{"userId":"u","sessionId":"s","properties":{"a":{"b":1}}}', 200],
  ["an object called __proto__", '{"userId":"u","__proto__":{"sessionId":"s"}}', 200],
  ["an infinite number", '{"userId":"u","sessionId":"s","plan":1e999}', 200],
  ["a context that is a list", '{"context":[]}', 400],
])("POST /api/frontend with %s", async (_, body, status) => {
  const { proxy } = await startWatched("/api/frontend", SAMPLE);
  const response = await expectSameEachTime(proxy, "/api/frontend", {
    body,
    headers: JSON_TYPE,
  });
  expect(response.status).toBe(status);
});

test.each<[string, object, number]>([
  ["a charset", { "content-type": "application/json; charset=utf-8" }, 200],
  ["capitals", { "content-type": "Application/JSON;charset=UTF-8" }, 200],
  ["another charset", { "content-type": "application/json; charset=latin1" }, 200],
  ["no type", {}, 200],
  ["another type", { "content-type": "text/plain" }, 415],
  ["a broken type", { "content-type": "application/json; x" }, 200],
  ["a wrong key", { ...JSON_TYPE, authorization: "wrong" }, 401],
])("POST /proxy with %s", async (_, headers, status) => {
  const { proxy } = await startWatched("/proxy", SAMPLE);
  const response = await expectSameEachTime(proxy, "/proxy", { body: forUser7, headers });
  expect(response.status).toBe(status);
});

test("POST /proxy with a compressed body", async () => {
  const proxy = await startProxy();
  const headers = { ...JSON_TYPE, "content-encoding": "gzip" };
  const compared = { body: gzipSync(forUser7), headers };
  expect((await expectSameEachTime(proxy, "/proxy", compared)).status).toBe(200);
});

test("POST /proxy/all is not POST /proxy", async () => {
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

test("POST requests of the official client", async () => {
  const { proxy } = await startWatched("/proxy", SAMPLE);
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
});

test("POST /proxy is counted", async () => {
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
  const arrived = once(proxy.server, "request");
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
}

test.each<[string, Transfer]>([
  ["at once", { write: (path) => [headOf(path, HANG_UP) + forUser7], statuses: [200] }],
  ["after its head", { write: (path) => [headOf(path, HANG_UP), forUser7], statuses: [200] }],
  [
    "in two parts",
    {
      write: (path) => [headOf(path, HANG_UP) + forUser7.slice(0, half), forUser7.slice(half)],
      statuses: [200],
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
    },
  ],
  [
    "invalid and at once",
    { write: (path) => [`${headOf(path, { ...HANG_UP, length: 1 })}{`], statuses: [400] },
  ],
  [
    "invalid and after its head",
    { write: (path) => [headOf(path, { ...HANG_UP, length: 1 }), "{"], statuses: [400] },
  ],
  [
    "before an invalid one",
    {
      write: (path) => [`${headOf(path)}${forUser7}${headOf(path, { ...HANG_UP, length: 1 })}{`],
      statuses: [200, 400],
    },
  ],
  [
    "before a valid one",
    {
      write: (path) => [headOf(path) + forUser7 + headOf(path, HANG_UP) + forUser7],
      statuses: [200, 200],
    },
  ],
])("POST /proxy whose body arrives %s", async (_, { write, statuses }) => {
  const proxy = await startProxy();
  const answers = await send(proxy, ...write("/proxy"));
  expect(answers.statuses).toEqual(statuses);
  expect(await send(proxy, ...write("/proxy/"))).toEqual(answers);
});

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
  const arrived = once(proxy.server, "request") as Promise<[IncomingMessage]>;
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
  const arrived = once(proxy.server, "request");
  const socket = dial(proxy);
  socket.write(headOf("/proxy", HANG_UP));
  await arrived;
  const closed = proxy.close();
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
