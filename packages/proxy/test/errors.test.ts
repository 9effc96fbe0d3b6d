import { EventEmitter, once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { flag, withConstraint } from "./_documents.ts";
import { errorOf, KEY, MemoryLogger, namesOf, startProxy, shareProxies } from "./_proxy.ts";

const startShared = shareProxies();

const JSON_TYPE = { "content-type": "application/json" };

/** Sends raw bytes and returns the raw response. */
async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let response = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (response += chunk));
  socket.write(request);
  await once(socket, "close");
  return response;
}

test("404 for /api, where the upstream has its APIs, names the paths for client SDKs", async () => {
  const { request } = await startProxy();
  for (const path of ["/api", "/api/"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const response = await request(path);
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: "No such path: client SDKs use `/api/frontend` or `/proxy`" },
    ]);
  }
});

test("unknown path: 404, as JSON, without echoing the path", async () => {
  const { request } = await startShared();
  for (const path of ["/", "/nothing/<here>", "/proxy/nothing", "/api/frontend/features/x/y"]) {
    const response = await request(path);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(await errorOf(response))).toEqual(["error"]);
  }
});

test("known path, unknown method: 405 that lists the supported ones", async () => {
  const { request } = await startShared();
  const response = await request("/proxy/?a=1", { method: "DELETE" });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET, HEAD, POST");
});

test.each([
  ["DELETE", "/api/frontend/features/x", "GET, HEAD, POST"],
  ["PUT", "/api/client/features/a%2Fb/", "GET, HEAD"],
  ["GET", "/ofrep/v1/evaluate/flags/x?a=1", "POST"],
])("%s %s, whose path has a parameter: 405", async (method, path, allowed) => {
  const { request } = await startShared();
  const response = await request(path, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe(allowed);
});

test("405: the message lists the supported methods", async () => {
  const { request } = await startShared();
  expect(await (await request("/proxy", { method: "DELETE" })).json()).toEqual({
    error: "This path does not support DELETE: use GET, HEAD or POST",
  });
  expect(await (await request("/proxy/client/metrics")).json()).toEqual({
    error: "This path does not support GET: use POST",
  });
});

test.each([
  ["POST", "/nothing", 404],
  ["DELETE", "/proxy", 405],
])("%s %s: %d before the body arrives", async (method, path, status) => {
  const { port } = await startShared();
  const response = await exchange(
    port,
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[`,
  );
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
});

test.each([
  ["malformed", "{not json"],
  ["cut off", '{"context":{'],
])("POST /proxy: 400 with a hint when the JSON is %s", async (_, body) => {
  const { request } = await startShared();
  const response = await request("/proxy", { method: "POST", headers: JSON_TYPE, body });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toMatch(/not valid JSON/);
});

test("POST /proxy: 400 if the body is missing", async () => {
  const { request } = await startShared();
  for (const init of [{}, { headers: JSON_TYPE, body: "" }, { headers: JSON_TYPE, body: "null" }]) {
    const response = await request("/proxy", { method: "POST", ...init });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).error).toMatch(/body is missing/);
  }
});

test.each(["", " "])("POST /proxy: the Content-Type %j is read as JSON", async (type) => {
  const { request } = await startShared();
  const headers = { "content-type": type };
  const body = '{"context":{}}';
  expect((await request("/proxy", { method: "POST", headers, body })).status).toBe(200);
});

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "text/xml",
  "nonsense",
  "application/jsonx",
])("POST /proxy: 415 for %s", async (type) => {
  const { request } = await startShared();
  const response = await request("/proxy", {
    method: "POST",
    headers: { "content-type": type },
    body: '{"context":{}}',
  });
  expect(response.status).toBe(415);
  expect((await errorOf(response)).error).toMatch(/application\/json/);
});

test.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])(
  "POST /proxy: %s is JSON",
  async (type) => {
    const { request } = await startShared();
    const init = { method: "POST", headers: { "content-type": type }, body: '{"context":{}}' };
    expect((await request("/proxy", init)).status).toBe(200);
  },
);

test("POST /proxy: a body without a Content-Type is read as JSON", async () => {
  const { port } = await startShared();
  const body = '{"context":{}}';
  const response = await exchange(
    port,
    `POST /proxy HTTP/1.1\r\nHost: a\r\nAuthorization: ${KEY}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(response).toMatch(/^HTTP\/1.1 200/);
});

test.each(["/proxy", "/api/frontend", "/ofrep/v1/evaluate/flags"])(
  "POST %s: 413 if a flag depends on a value of more than 16,384 characters",
  async (path) => {
    const document = { features: [flag("a", { strategies: [withConstraint("plan", ["pro"])] })] };
    const { post } = await startShared({ document });
    const send = (name: string, length: number) =>
      post(path, { context: { [name]: "x".repeat(length) } });
    expect((await send("plan", 16_384)).status).toBe(200);
    expect((await send("other", 100_000)).status).toBe(200);
    const rejected = await send("plan", 16_385);
    expect(rejected.status).toBe(413);
    expect(await rejected.text()).toContain("`plan` has 16385 characters: send at most 16384");
  },
);

test("body limit: 413 above 1 MiB, with and without a Content-Length", async () => {
  const { request, post } = await startShared();
  const empty = JSON.stringify({ context: { properties: { a: "" } } }).length;
  const context = (size: number) => ({ context: { properties: { a: "x".repeat(size - empty) } } });
  expect((await post("/proxy", context(1024 * 1024))).status).toBe(200);
  const announced = await post("/proxy", context(1024 * 1024 + 1));
  expect(announced.status).toBe(413);
  expect((await errorOf(announced)).error).toMatch(/1024 KiB/);

  const stream = new Blob([JSON.stringify(context(1024 * 1024 + 1))]).stream();
  const init = { method: "POST", headers: JSON_TYPE, body: stream, duplex: "half" } as const;
  expect((await request("/proxy", init)).status).toBe(413);
});

test("compressed bodies: the limit applies to the decompressed size", async () => {
  const { request } = await startShared();
  const send = (text: string) =>
    request("/proxy", {
      method: "POST",
      headers: { ...JSON_TYPE, "content-encoding": "gzip" },
      body: new Uint8Array(gzipSync(text)),
    });
  const response = await send('{"context":{"userId":"7"}}');
  expect(await namesOf(response)).toContain("for-user-7");
  expect((await send(`{"context":{"a":"${"x".repeat(5_000_000)}"}}`)).status).toBe(413);

  for (const [encoding, status] of [
    ["gzip", 400],
    ["compress", 415],
    // A few bytes would take as much memory as a window of Brotli.
    ["br", 415],
  ] as const) {
    const broken = await request("/proxy", {
      method: "POST",
      headers: { ...JSON_TYPE, "content-encoding": encoding },
      body: '{"context":{}}',
    });
    expect(broken.status, encoding).toBe(status);
    expect(await errorOf(broken), encoding).toHaveProperty("error");
  }
});

describe("bodies that would cost more than their size justifies", () => {
  const NESTED = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ] as const)("413 for a body that expands more than 20 times: %s", async (coding, compress) => {
    const { request } = await startShared();
    const send = (path: string, text: string) => {
      const headers = { ...JSON_TYPE, "content-encoding": coding };
      return request(path, { method: "POST", headers, body: new Uint8Array(compress(text)) });
    };
    const short = `{"context":{"userId":"7","a":"${"x".repeat(16_000)}"}}`;
    expect((await send("/proxy", short)).status).toBe(200);
    const bomb = `{"context":{"a":"${"x".repeat(800_000)}"}}`;
    const rejected = await send("/proxy", bomb);
    expect(rejected.status).toBe(413);
    expect((await errorOf(rejected)).error).toContain("at most 20 times as long");
    expect((await send("/edge/validate", `{"tokens":${NESTED}}`)).status).toBe(413);
    const random = Array.from({ length: 40_000 }, () => Math.random().toString(36));
    expect((await send("/proxy", JSON.stringify({ context: { a: random.join() } }))).status).toBe(
      200,
    );
  });

  test("413 for a long compressed body without a Content-Length", async () => {
    const { request } = await startShared();
    const text = `{"context":{"a":"${"x".repeat(17_000)}"}}`;
    const headers = { ...JSON_TYPE, "content-encoding": "gzip" };
    const body = new Blob([new Uint8Array(gzipSync(text))]).stream();
    const init = { method: "POST", headers, body, duplex: "half" } as const;
    expect((await request("/proxy", init)).status).toBe(413);
  });

  test("400 for lists nested more than 100 levels deep", async () => {
    const { request } = await startShared();
    const response = await request("/proxy", {
      method: "POST",
      headers: JSON_TYPE,
      body: `{"context":${NESTED}}`,
    });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).error).toContain("nested more than 100 levels deep");
  });

  test("400 for more than 50,000 lists and objects", async () => {
    const { request } = await startShared();
    const send = (count: number): Promise<Response> =>
      request("/proxy", {
        method: "POST",
        headers: JSON_TYPE,
        body: `{"context":{},"more":[${Array.from({ length: count }, () => "{}").join()}]}`,
      });
    expect((await send(49_997)).status).toBe(200);
    const response = await send(49_998);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).error).toContain("more than 50000 lists and objects");
  });

  test("413 for more than 250 KiB of tokens to validate", async () => {
    const { post } = await startShared();
    const response = await post("/edge/validate", { tokens: ["x".repeat(250 * 1024)] });
    expect(response.status).toBe(413);
    expect((await errorOf(response)).error).toContain("250 KiB");
  });

  test.each([
    ["/proxy", "context"],
    ["/proxy", "context.properties"],
    ["/proxy/stream", "context"],
    ["/api/frontend", ""],
    ["/api/frontend", "context"],
    ["/ofrep/v1/evaluate/flags", "context"],
    ["/ofrep/v1/evaluate/flags", "context.properties"],
  ])("POST %s: 400 for more than 1,000 fields in %j", async (path, place) => {
    const { post } = await startShared();
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`field-${index}`, 1]));
    const send = (count: number) => {
      const properties = fields(count);
      const nested = place.endsWith("properties") ? { properties } : properties;
      return post(path, place === "" ? properties : { context: nested });
    };
    expect((await send(1000)).status).not.toBe(400);
    const rejected = await send(1001);
    expect(rejected.status).toBe(400);
    expect(await rejected.text()).toContain("has more than 1000 entries");
  });
});

test("toggles: 400 for too many names", async () => {
  const { post } = await startShared();
  const toggles = Array.from({ length: 10_001 }, (_, index) => `t${index}`);
  const tooMany = await post("/proxy", { context: {}, toggles });
  expect(tooMany.status).toBe(400);
  expect((await errorOf(tooMany)).error).toBe(
    "Bad request: `toggles` has more than 10000 entries: send fewer, if necessary in several requests",
  );
  expect((await post("/proxy", { context: {}, toggles: toggles.slice(1) })).status).toBe(200);
});

test("many values: 400 that says how many values are searched for the problem", async () => {
  const { post } = await startShared();
  const toggles = Array.from({ length: 10_000 }, (_, index) => index);
  const response = await post("/proxy", { context: {}, toggles });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toMatch(/has the wrong type.*2000 values/);
});

test("nesting: 400 that names the path, at any depth", async () => {
  const { request } = await startShared();
  const depth = 90;
  const body = `{"context":{"a":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}}`;
  const response = await request("/proxy", { method: "POST", headers: JSON_TYPE, body });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toMatch(/`context.a` must be a string, a number/);
});

test("a path that is not valid percent-encoding: 400", async () => {
  const { request } = await startShared();
  const response = await request("/proxy/%zz");
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toMatch(/percent-encoding/);
});

test.each([
  ["is not HTTP", "NONSENSE\r\n\r\n", 400],
  ["has headers that are too large", `GET /proxy?a=${"x".repeat(20_000)} HTTP/1.1\r\n\r\n`, 431],
])("a request that %s: a JSON error", async (_, bytes, status) => {
  const { port } = await startShared();
  const response = await exchange(port, bytes);
  const [head = "", body = ""] = response.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain("Content-Type: application/json");
  expect(JSON.parse(body)).toHaveProperty("error");
});

test("a client that disconnects: no error is logged, and others are served", async () => {
  const logger = new MemoryLogger();
  const events = new EventEmitter();
  const { server, request, post, port } = await startProxy({
    config: {
      logger,
      contextEnrichers: [
        async (context, { headers }) => {
          if (headers["x-slow"] === undefined) return context;
          events.emit("entered");
          await once(events, "aborted");
          throw new Error("the client has gone, and so has what was looked for");
        },
      ],
    },
  });
  server.on("request", (_request, response: ServerResponse) => {
    events.emit("received");
    response.once("close", () => {
      if (!response.writableFinished) events.emit("aborted");
    });
  });

  const abort = new AbortController();
  const gone = request("/proxy", { headers: { "x-slow": "1" }, signal: abort.signal });
  await once(events, "entered");
  abort.abort();
  await Promise.all([once(events, "aborted"), expect(gone).rejects.toThrow(/abort/i)]);

  const halfSent = connect(port, "127.0.0.1");
  halfSent.write(
    `POST /proxy HTTP/1.1\r\nHost: a\r\nAuthorization: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"con`,
  );
  await once(events, "received");
  halfSent.resetAndDestroy();
  await once(events, "aborted");

  expect((await post("/proxy", { context: {} })).status).toBe(200);
  expect(logger.lines).toEqual([]);
});
