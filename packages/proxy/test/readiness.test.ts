import { expect, test } from "vitest";
import { toSource } from "../src/sources/sources.ts";
import { SAMPLE } from "./_documents.ts";
import { errorOf, startProxy, startProxyOf } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const EVERYTHING = [
  "GET /proxy",
  "POST /proxy",
  "GET /proxy/all",
  "GET /proxy/health",
  "HEAD /proxy/health",
  "GET /proxy/internal-backstage/prometheus",
  "GET /proxy/client/features",
  "GET /api/client/features/on",
  "GET /api/client/delta",
  "GET /api/client/streaming",
  "POST /api/client/metrics/bulk",
  "POST /proxy/client/metrics",
  "POST /proxy/client/register",
  "GET /docs/openapi.json",
  "GET /docs/openapi",
  "GET /unknown",
  "DELETE /proxy",
  "GET /proxy/%zz",
];

test.each(EVERYTHING)("not ready: %s gets a 503, with any key", async (route) => {
  const [method = "", path = ""] = route.split(" ");
  const source = new DocumentSource();
  const { url } = await startProxy({ source, config: { openApiEnabled: true } });
  const response = await fetch(url + path, { method });
  expect(response.status).toBe(503);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  if (method !== "HEAD") expect((await errorOf(response)).error).toMatch(/not synchronized/);
});

test("not ready: a preflight succeeds", async () => {
  const { url } = await startProxy({ source: new DocumentSource() });
  const headers = { origin: "https://shop.example", "access-control-request-method": "GET" };
  const response = await fetch(`${url}/proxy`, { method: "OPTIONS", headers });
  expect(response.status).toBe(204);
});

test("not ready: the 503 has CORS headers", async () => {
  const { url } = await startProxy({ source: new DocumentSource() });
  const response = await fetch(`${url}/proxy`, { headers: { origin: "https://shop.example" } });
  expect(response.status).toBe(503);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
});

test.each(["GET /proxy", "POST /proxy", "GET /proxy/", "GET /api/frontend", "GET /proxy/health"])(
  "not ready while one of two sources waits for its first flags: %s gets a 503",
  async (route) => {
    const [method = "", path = ""] = route.split(" ");
    const waiting = new DocumentSource();
    const sources = [new DocumentSource(SAMPLE), waiting].map((source, index) => {
      const environment = `env-${index}`;
      return toSource(source, {
        name: environment,
        scope: { project: "*", environment },
      });
    });
    const { request } = await startProxyOf(sources, {
      config: { clientKeys: ["*:env-0.key", "*:env-1.key"], serverTokens: [] },
    });
    const send = async () =>
      request(path, {
        method,
        headers: { authorization: "*:env-0.key", "content-type": "application/json" },
        ...(method === "POST" && { body: '{"context":{}}' }),
      });
    expect((await send()).status).toBe(503);
    waiting.replace(SAMPLE);
    expect((await send()).status).toBe(200);
  },
);

test("requests are served as soon as the source has flags", async () => {
  const source = new DocumentSource();
  const { request } = await startProxy({ source });
  expect((await request("/proxy/health")).status).toBe(503);
  source.replace(SAMPLE);
  expect((await request("/proxy/health")).status).toBe(200);
  expect((await request("/proxy")).status).toBe(200);
});

test("GET /proxy/health: 200 when ready, with the body `ok`, a weak ETag and CORS headers", async () => {
  const { url } = await startProxy();
  const response = await fetch(`${url}/proxy/health`);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("ok");
  const { headers } = response;
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(headers.get("content-length")).toBe("2");
  expect(headers.get("etag")).toMatch(/^W\/"/);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-expose-headers")).toBe("ETag");
});
