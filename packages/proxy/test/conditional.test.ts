import { gunzipSync, brotliDecompressSync } from "node:zlib";
import { request as undiciRequest } from "undici";
import { expect, test } from "vitest";
import { flag } from "./_documents.ts";
import { KEY, namesOf, startProxy, type TestProxy } from "./_proxy.ts";

const BODY = JSON.stringify({ context: { userId: "7" } });

function send(proxy: TestProxy, method: string, headers: Record<string, string>) {
  return proxy.request(method === "GET" ? "/proxy?userId=7" : "/proxy", {
    method,
    ...(method === "POST" && { body: BODY }),
    headers: { ...(method === "POST" && { "content-type": "application/json" }), ...headers },
  });
}

test.each(["GET", "POST"])(
  "%s /proxy: a weak ETag, and Cache-Control: public, max-age=2 on the 200",
  async (method) => {
    const response = await send(await startProxy(), method, {});
    expect(response.headers.get("etag")).toMatch(/^W\/"[0-9a-f]{32}"$/);
    expect(response.headers.get("cache-control")).toBe("public, max-age=2");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toBe("ETag");
  },
);

test.each(["GET", "POST"])(
  "%s /proxy: 304 even if the request has Cache-Control: no-cache",
  async (method) => {
    const proxy = await startProxy();
    const etag = (await send(proxy, method, {})).headers.get("etag") ?? "";
    const response = await send(proxy, method, {
      "if-none-match": etag,
      "cache-control": "no-cache",
      pragma: "no-cache",
    });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe("");
    expect(response.headers.get("etag")).toBe(etag);
    expect(response.headers.get("cache-control")).toBe("public, max-age=2");
    expect(response.headers.get("vary")).toMatch(/authorization/i);
  },
);

test("If-None-Match: compared weakly, in lists, unquoted, and as *", async () => {
  const proxy = await startProxy();
  const etag = (await send(proxy, "GET", {})).headers.get("etag") ?? "";
  const strong = etag.slice(2);
  for (const value of [strong, `"other", ${etag}`, `W/"x" , ${strong}`, strong.slice(1, -1), "*"]) {
    const { status } = await send(proxy, "GET", { "if-none-match": value });
    expect(status, value).toBe(304);
  }
  for (const value of ["", '"other"', 'W/"other", "more"', `${strong}x`]) {
    const { status } = await send(proxy, "GET", { "if-none-match": value });
    expect(status, value).toBe(200);
  }
});

test("ETag: differs for different responses, and is equal for equal ones", async () => {
  const proxy = await startProxy();
  const tag = async (path: string) => (await proxy.request(path)).headers.get("etag");
  expect(await tag("/proxy?userId=7")).not.toBe(await tag("/proxy?userId=8"));
  expect(await tag("/proxy?userId=8")).toBe(await tag("/proxy?userId=9"));
  const post = await send(proxy, "POST", {});
  expect(post.headers.get("etag")).toBe(await tag("/proxy?userId=7"));

  const before = await tag("/proxy");
  proxy.source.replace({ features: [flag("on")] });
  expect(await tag("/proxy")).not.toBe(before);
});

test("ETag: equal on two proxies with the same document", async () => {
  const [one, two] = [await startProxy(), await startProxy()];
  const tags = await Promise.all(
    [one, two].map(async (proxy) => (await send(proxy, "GET", {})).headers.get("etag")),
  );
  expect(tags[0]).toBe(tags[1]);
});

test("ETag: the order of flags matters", async () => {
  const tags = await Promise.all(
    [
      ["a", "b", "c"],
      ["c", "b", "a"],
      ["b", "a", "c"],
    ].map(async (names) => {
      const { request } = await startProxy({
        document: { features: names.map((name) => flag(name)) },
      });
      return (await request("/proxy")).headers.get("etag");
    }),
  );
  expect(new Set(tags).size).toBe(3);
});

test("Vary: the key header and Accept-Encoding", async () => {
  const open = await startProxy({ config: { clientKeysHeaderName: "X-Flags-Key" } });
  const response = await open.request("/proxy", { headers: { "x-flags-key": KEY } });
  expect(response.headers.get("vary")?.toLowerCase()).toBe("x-flags-key, accept-encoding");
});

const MANY = { features: Array.from({ length: 50 }, (_, index) => flag(`flag-number-${index}`)) };

test.each([
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
] as const)(
  "compression: %s for a client that accepts it, from 1 KiB",
  async (encoding, decompress) => {
    const { url } = await startProxy({ document: MANY });
    const headers = { authorization: KEY, "accept-encoding": encoding };
    const response = await undiciRequest(`${url}/proxy`, { headers });
    expect(response.headers["content-encoding"]).toBe(encoding);
    expect(response.headers["vary"]).toMatch(/accept-encoding/i);
    const text = decompress(Buffer.from(await response.body.arrayBuffer())).toString();
    expect(JSON.parse(text)).toHaveProperty("toggles.length", 50);

    const etag = String(response.headers["etag"]);
    const again = await undiciRequest(`${url}/proxy`, {
      headers: { ...headers, "if-none-match": etag },
    });
    expect(again.statusCode).toBe(304);
    expect(again.headers["etag"]).toBe(etag);
    await again.body.dump();
  },
);

test("compression: none below 1 KiB or for a client that does not accept it", async () => {
  const small = await startProxy({ document: { features: [flag("one")] } });
  const large = await startProxy({ document: MANY });
  const encodings = await Promise.all([
    undiciRequest(`${small.url}/proxy`, {
      headers: { authorization: KEY, "accept-encoding": "gzip" },
    }),
    undiciRequest(`${large.url}/proxy`, { headers: { authorization: KEY } }),
  ]);
  for (const { headers, body } of encodings) {
    expect(headers["content-encoding"]).toBeUndefined();
    await body.dump();
  }
});

test("a 304 is never sent for the entity tag of another response", async () => {
  const proxy = await startProxy();
  const etag = (await proxy.request("/proxy?userId=1")).headers.get("etag") ?? "";
  const response = await proxy.request("/proxy?userId=7", { headers: { "if-none-match": etag } });
  expect(await namesOf(response)).toContain("for-user-7");
});
