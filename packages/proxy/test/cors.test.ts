import { createServer } from "node:http";
import { openPort } from "flags-server-kit";
import { expect, onTestFinished, test } from "vitest";
import { buildApp } from "../src/start/app.ts";
import type { CorsConfig } from "../src/config/config.ts";
import { toSource } from "../src/sources/sources.ts";
import { proxyConfig, startProxy, startProxyOver } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const ORIGIN = "https://shop.example";

function startWith(cors: Partial<CorsConfig> = {}, overrides: object = {}) {
  return startProxy({ config: { cors: { ...proxyConfig().cors, ...cors }, ...overrides } });
}

function preflight(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/proxy`, {
    method: "OPTIONS",
    headers: { origin: ORIGIN, "access-control-request-method": "POST", ...headers },
  });
}

test("cors defaults: any origin, GET and POST, two days, 204, ETag exposed, no credentials", async () => {
  const { url } = await startWith();
  const { status, headers } = await preflight(url);
  expect(status).toBe(204);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-methods")).toBe("GET, POST");
  expect(headers.get("access-control-max-age")).toBe("172800");
  expect(headers.get("access-control-expose-headers")).toBe("ETag");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  // Some browsers wait for a body without it.
  expect(headers.get("content-length")).toBe("0");
  // Responses are the same for every origin.
  expect(headers.get("vary")).toBe("Access-Control-Request-Headers");
});

test("without cors.allowedHeaders, the headers of the SDKs, the key header and the requested headers are allowed", async () => {
  const { url } = await startWith({}, { clientKeysHeaderName: "X-Flags-Key" });
  const requested = { "access-control-request-headers": "x-mine, ACCEPT,, X-Flags-Key" };
  const { headers } = await preflight(url, requested);
  const list = headers.get("access-control-allow-headers");
  expect(list).toMatch(/^[a-z-]+(?:, [a-z-]+)*$/);
  const allowed = list?.split(", ");
  expect(allowed).toEqual(expect.arrayContaining(["authorization", "unleash-sdk", "cache"]));
  expect(allowed).toEqual(expect.arrayContaining(["x-flags-key", "x-mine", "accept"]));
  expect(new Set(allowed).size).toBe(allowed?.length);
  expect(headers.get("vary")).toMatch(/access-control-request-headers/i);
});

test("cors.allowedHeaders: only the listed headers are allowed", async () => {
  const { url } = await startWith({ allowedHeaders: ["authorization", "x-one"] });
  const { headers } = await preflight(url, { "access-control-request-headers": "x-other" });
  expect(headers.get("access-control-allow-headers")).toBe("authorization, x-one");
});

test("cors.credentials: preflights and other responses have the header", async () => {
  const { url, request } = await startWith({ credentials: true, origin: [ORIGIN] });
  expect((await preflight(url)).headers.get("access-control-allow-credentials")).toBe("true");
  const { headers } = await request("/proxy", { headers: { origin: ORIGIN } });
  expect(headers.get("access-control-allow-credentials")).toBe("true");
});

test("cors.exposedHeaders: the listed headers are exposed", async () => {
  const { request } = await startWith({ exposedHeaders: ["ETag", "Date"] });
  const { headers } = await request("/proxy", { headers: { origin: ORIGIN } });
  expect(headers.get("access-control-expose-headers")).toBe("ETag, Date");
});

test("cors.maxAge: zero is sent", async () => {
  const { url } = await startWith({ maxAgeSeconds: 0 });
  expect((await preflight(url)).headers.get("access-control-max-age")).toBe("0");
});

test("cors.methods: the listed methods are allowed", async () => {
  const { url } = await startWith({ methods: ["POST"] });
  expect((await preflight(url)).headers.get("access-control-allow-methods")).toBe("POST");
});

test("cors.optionsSuccessStatus is the status of a successful OPTIONS request", async () => {
  const { url } = await startWith({ optionsSuccessStatus: 200 });
  expect((await preflight(url)).status).toBe(200);
});

test("cors.origin: only the listed origins are allowed, with Vary: Origin on every response", async () => {
  const { url, request } = await startWith({ origin: [ORIGIN, "https://two.example"] });
  const headersFor = async (origin: string) =>
    (await request("/proxy", { headers: { origin } })).headers;
  for (const origin of [ORIGIN, "https://two.example"]) {
    const headers = await headersFor(origin);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("vary")?.toLowerCase()).toBe("authorization, origin, accept-encoding");
  }
  expect((await headersFor("https://evil.example")).get("access-control-allow-origin")).toBeNull();
  expect((await fetch(`${url}/proxy/health`)).headers.get("vary")).toMatch(/origin/i);
});

const SHOPS = /^https:\/\/[a-z]+\.shop\.example$/g;

test.each<readonly [string, CorsConfig["origin"], readonly string[], readonly string[]]>([
  ["true", true, ["https://any.example"], []],
  ["a pattern", SHOPS, ["https://a.shop.example"], ["https://a.shop.example.evil.example"]],
  [
    "a list with a pattern",
    [ORIGIN, SHOPS],
    [ORIGIN, "https://b.shop.example"],
    ["https://c.test"],
  ],
  [
    "a function with a callback",
    (origin, callback) => setImmediate(() => callback(null, origin === ORIGIN)),
    [ORIGIN],
    ["https://c.test"],
  ],
  [
    "an async function that calls the callback",
    async (origin, callback) => callback(null, origin === ORIGIN),
    [ORIGIN],
    ["https://c.test"],
  ],
])("cors.origin: %s", async (_name, origin, allowed, rejected) => {
  const { url, request } = await startWith({ origin, credentials: true });
  const headersFor = async (from: string) => {
    const response = await request("/proxy", { headers: { origin: from } });
    expect(response.status).toBe(200);
    expect(response.headers.get("vary")?.toLowerCase()).toContain("origin");
    const preflighted = await preflight(url, { origin: from });
    const header = "access-control-allow-origin";
    return [response.headers.get(header), preflighted.headers.get(header)];
  };
  // Twice, since a global pattern continues where its previous match ended.
  for (const from of [...allowed, ...allowed]) {
    // oxlint-disable-next-line no-await-in-loop -- one origin at a time
    expect(await headersFor(from)).toEqual([from, from]);
  }
  // oxlint-disable-next-line no-await-in-loop -- one origin at a time
  for (const from of rejected) expect(await headersFor(from)).toEqual([null, null]);
});

test("cors.origin: false sends no CORS headers", async () => {
  const { url, request } = await startWith({ origin: false });
  const { headers } = await request("/proxy", { headers: { origin: ORIGIN } });
  const names = [...headers.keys(), ...(await preflight(url)).headers.keys()];
  expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(headers.get("vary")).toBe("authorization, accept-encoding");
  expect((await preflight(url)).status).toBe(405);
});

test("cors.origin: a function can return a list that allows all origins", async () => {
  const { url } = await startWith({
    origin: (_origin, callback) => callback(null, ["https://two.example", "*"]),
  });
  expect((await preflight(url)).headers.get("access-control-allow-origin")).toBe("*");
});

test.each<readonly [string, CorsConfig["origin"]]>([
  ["calls back with an error", (_origin, callback) => callback(new Error("secret"), false)],
  ["rejects without an error", () => Promise.reject()],
  ["calls back with an empty origin", (_origin, callback) => callback(null, "")],
  [
    "calls back with a list of nothing",
    (_origin, callback) => callback(null, [undefined as never]),
  ],
  ["calls back with two lines", (_origin, callback) => callback(null, `${ORIGIN}\r\nx: y`)],
  ["calls back with other letters", (_origin, callback) => callback(null, "https://例え.jp")],
])("cors.origin: a function that %s is a 500 that reveals nothing", async (_name, origin) => {
  const { request } = await startWith({ origin });
  const response = await request("/proxy", { headers: { origin: ORIGIN } });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret");
});

test("cors.preflightContinue: sets the headers and passes the preflight on", async () => {
  const cors = { ...proxyConfig().cors, preflightContinue: true };
  const { listener } = await buildApp(proxyConfig({ cors }), [toSource(new DocumentSource())]);
  const server = createServer((request, response) =>
    listener(request, response, () => response.end("mine")),
  );
  const { origin } = await openPort(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  const response = await preflight(origin);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("mine");
  expect(response.headers.get("access-control-allow-methods")).toBe("GET, POST");
});

test("cors.preflightContinue: a preflight that nothing handles succeeds", async () => {
  const { url } = await startWith({ preflightContinue: true });
  const response = await preflight(url);
  expect({ status: response.status, body: await response.text() }).toEqual({
    status: 200,
    body: "",
  });
});

test("a preflight needs no key, for every path", async () => {
  const { url } = await startWith();
  const paths = [
    "/proxy",
    "/proxy/all",
    "/proxy/client/metrics",
    "/api/frontend",
    "/api/frontend/features/on",
    "/api/proxy/client/metrics",
    "/ofrep/v1/evaluate/flags",
    "/ofrep/v1/evaluate/flags/on",
    "/unknown",
  ];
  for (const path of paths) {
    const response = await fetch(url + path, {
      method: "OPTIONS",
      headers: { origin: ORIGIN, "access-control-request-method": "GET" },
    });
    expect(response.status, path).toBe(204);
  }
});

test("errors can be read across origins too", async () => {
  const { url } = await startWith();
  for (const path of ["/proxy", "/unknown"]) {
    const response = await fetch(url + path, { headers: { origin: ORIGIN } });
    expect(response.headers.get("access-control-allow-origin"), path).toBe("*");
  }
});

test.each([
  [["ETag"], "ETag, Retry-After"],
  [["ETag", "retry-after"], "ETag, retry-after"],
  [["*"], "*"],
])("cors.exposedHeaders %j: Retry-After can be read", async (given, shown) => {
  const config = { cors: { ...proxyConfig().cors, exposedHeaders: given } };
  const { request } = await startProxyOver(new DocumentSource(), { config });
  const { headers } = await request("/proxy", { headers: { origin: ORIGIN } });
  expect(headers.get("retry-after")).toBe("1");
  expect(headers.get("access-control-expose-headers")).toBe(shown);
});
