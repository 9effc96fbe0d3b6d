import type { FlagsClientOptions } from "flags-sdk";
import { describe, expect, it } from "vitest";
import {
  collectMessages,
  createClient,
  flagNames,
  flagsAfter,
  nextEvent,
  startClient,
  startLogged,
  startUpstream,
} from "./_client.ts";
import {
  documentOf,
  flag,
  hang,
  hangInBody,
  json,
  raw,
  reset,
  serve,
  status,
  truncate,
} from "./_upstream.ts";
import type { Reply } from "./_upstream.ts";

const failures: readonly (readonly [string, Reply, string])[] = [
  [
    "401",
    status(401),
    "error: Fetching flags failed: <url> responded with 401: the API token is unknown: use a valid one of type client or backend",
  ],
  [
    "403",
    status(403),
    "error: Fetching flags failed: <url> responded with 403: the API token does not",
  ],
  [
    "404",
    status(404),
    "error: Fetching flags failed: <url> responded with 404: there is no such API",
  ],
  [
    "400",
    status(400),
    "error: Fetching flags failed: <url> responded with 400: the server rejected",
  ],
  [
    "a redirect without a location",
    status(302),
    "error: Fetching flags failed: <url> responded with 302: the server has moved",
  ],
  [
    "304 without a condition",
    status(304),
    "error: Fetching flags failed: <url> responded with 304",
  ],
  ["408", status(408), "warn: Fetching flags failed: <url> responded with 408"],
  [
    "429",
    status(429),
    "warn: Fetching flags failed: <url> responded with 429: the rate limit of the server is exceeded",
  ],
  ["500", status(500), "warn: Fetching flags failed: <url> responded with 500: the server failed"],
  ["502", status(502), "warn: Fetching flags failed: <url> responded with 502"],
  ["503", status(503), "warn: Fetching flags failed: <url> responded with 503"],
  ["504", status(504), "warn: Fetching flags failed: <url> responded with 504"],
  ["a hang", hang, "warn: Fetching flags failed: Cannot reach <url>: No complete response within"],
  [
    "a hang in the body",
    hangInBody,
    "warn: Fetching flags failed: Cannot reach <url>: No complete",
  ],
  ["a reset", reset, "warn: Fetching flags failed: Cannot reach <url>: "],
  ["a cut connection", truncate, "warn: Fetching flags failed: Cannot reach <url>: "],
  [
    "truncated JSON",
    raw('{"features":['),
    "error: Fetching flags failed: <url> sent invalid JSON: ",
  ],
  ["an empty body", raw(""), "error: Fetching flags failed: <url> sent invalid JSON: "],
  [
    "a web page",
    raw("<html>", { "content-type": "text/html; charset=utf-8" }),
    "error: Fetching flags failed: <url> sent an HTML page instead of flags",
  ],
  ["HTML as JSON", raw("<html>"), "error: Fetching flags failed: <url> sent invalid JSON: "],
  [
    "bad gzip",
    raw("not gzip at all", { "content-encoding": "gzip" }),
    "warn: Fetching flags failed: Cannot reach <url>: the content cannot be decompressed: incorrect header",
  ],
  ["a number", json(7), "error: Fetching flags failed: The document is not usable: "],
  ["null", json(null), "error: Fetching flags failed: The document is not usable: "],
  ["a list", json([]), "error: Fetching flags failed: The document is not usable: "],
  [
    "an error as 200",
    json({ error: "x" }),
    "error: Fetching flags failed: <url> contains an error instead of content",
  ],
  ["a flag without a name", json({ features: [{}] }), "error: Fetching flags failed: The document"],
  [
    "null instead of a flag",
    json({ features: [null] }),
    "error: Fetching flags failed: The document is",
  ],
];

/** Shortens the time limit only for upstreams that hang, because the machine may be busy. */
const optionsFor = (failure: Reply): Partial<FlagsClientOptions> =>
  failure === hang || failure === hangInBody ? { timeoutMs: 500 } : {};

describe("FlagsClient keeps its last good flags and recovers", () => {
  it.each(failures.filter(([name]) => !name.startsWith("304")))(
    "the client keeps its last good flags and recovers if the upstream responds with %s",
    async (_name, failure, message) => {
      const upstream = await startUpstream();
      const client = await startClient(upstream, optionsFor(failure));
      const messages = collectMessages(client);
      upstream.features(failure);
      await expect.poll(() => messages.length).toBe(1);
      await upstream.nextOf(2);
      expect(flagNames(client)).toEqual(["a"]);
      expect(client.isEnabled("a")).toBe(true);

      const recover = (): void => upstream.features(serve(documentOf(flag("a"), flag("b"))));
      expect(await flagsAfter(client, recover)).toEqual(["a", "b"]);
      await expect.poll(() => messages.length).toBe(2);
      expect(messages[0]).toContain(message.replace("<url>", `${upstream.url}/client/features`));
      expect(messages[1]).toMatch(/^warn: Fetching flags works again after \d+ failed attempts?$/);
    },
  );

  it.each(failures)(
    "the client recovers if the first response is %s",
    async (_name, failure, message) => {
      const upstream = await startUpstream();
      upstream.scriptFeatures(failure, failure);
      const { client, messages } = await startLogged(upstream, optionsFor(failure));
      expect(flagNames(client)).toEqual(["a"]);
      expect(messages[0]).toContain(message.replace("<url>", `${upstream.url}/client/features`));
    },
  );

  it("the client recovers if the upstream starts later than the client", async () => {
    const upstream = await startUpstream();
    const { url, port } = upstream;
    await upstream.close();
    const client = createClient({ url });
    const warned = nextEvent(client, "warn");
    client.start();
    expect((await warned)[0]).toContain(": nothing is listening there");
    expect(client.snapshot).toBeUndefined();
    await upstream.listen(port);
    await client.synchronized();
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("the client recovers from alternating kinds of failures, logs each kind once and emits an event for each failure", async () => {
    const upstream = await startUpstream();
    const client = await startClient(upstream);
    const messages = collectMessages(client);
    let count = 0;
    client.on("failure", () => {
      count += 1;
    });
    upstream.scriptFeatures(status(503), status(401), status(503), status(401), reset);
    await upstream.nextOf(6);
    await expect.poll(() => messages.length).toBe(4);
    expect(messages.map((text) => text.slice(0, 5))).toEqual(["warn:", "error", "warn:", "warn:"]);
    expect(count).toBe(5);
  });

  it("the client recovers if a listener throws", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream);
    const errors: Error[] = [];
    client.on("error", (error) => errors.push(error));
    client.on("changed", () => {
      throw new Error("in the listener");
    });
    client.start();
    await client.synchronized();
    expect(errors.map(({ message }) => message)).toEqual([
      "A listener of the event changed threw: in the listener",
    ]);
    expect(client.isEnabled("a")).toBe(true);
  });
});

describe("FlagsClient", () => {
  it("does not send the ETag of an unusable document", async () => {
    const upstream = await startUpstream();
    upstream.scriptFeatures(
      json({ features: [null] }, { etag: '"bad"' }),
      raw("{", { etag: '"worse"' }),
    );
    const client = createClient(upstream);
    const requests = upstream.nextOf(4);
    client.start();
    const etags = (await requests).map(({ headers }) => headers["if-none-match"]);
    expect(etags.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(etags[3]).toBeDefined();
  });

  it("sends the ETag of its last good document during an outage", async () => {
    const upstream = await startUpstream();
    const client = await startClient(upstream);
    upstream.scriptFeatures(status(500), reset, json({ features: {} }, { etag: '"bad"' }));
    const requests = await upstream.nextOf(4);
    const etags = new Set(requests.map(({ headers }) => headers["if-none-match"]));
    expect(etags.size).toBe(1);
    expect([...etags][0]).toMatch(/^"[0-9a-f]+"$/);
    expect(client.isEnabled("a")).toBe(true);
  });

  it("honours Retry-After after a 429, a 503 and a 500", async () => {
    const delaysMs = [429, 503, 500].map(async (code) => {
      const upstream = await startUpstream();
      upstream.scriptFeatures(status(code, { "retry-after": "1" }));
      const client = createClient(upstream);
      const first = upstream.next();
      client.start();
      await first;
      const startMs = performance.now();
      await upstream.next();
      return performance.now() - startMs;
    });
    for (const delayMs of await Promise.all(delaysMs)) expect(delayMs).toBeGreaterThan(950);
  });

  it("does not include a rejected token in the error", async () => {
    const upstream = await startUpstream();
    upstream.features(status(401));
    const client = createClient(upstream, { token: "top-secret" });
    const failed = nextEvent(client, "error");
    client.start();
    const [error] = await failed;
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain("top-secret");
  });
});
