import { describe, expect, it } from "vitest";
import {
  collectFaults,
  createClient,
  flagNames,
  nextEvent,
  startClient,
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

const faults: readonly (readonly [string, Reply, string])[] = [
  ["401", status(401), "error: Fetching flags failed: <url> answered 401: it does not know"],
  ["403", status(403), "error: Fetching flags failed: <url> answered 403: the API token has no"],
  ["404", status(404), "error: Fetching flags failed: <url> answered 404: there is no such API"],
  ["400", status(400), "error: Fetching flags failed: <url> answered 400: it refuses"],
  [
    "a redirect to nowhere",
    status(302),
    "error: Fetching flags failed: <url> answered 302: it has",
  ],
  ["304 to one who has nothing", status(304), "error: Fetching flags failed: <url> answered 304"],
  ["408", status(408), "warn: Fetching flags failed: <url> answered 408"],
  ["429", status(429), "warn: Fetching flags failed: <url> answered 429: it limits"],
  ["500", status(500), "warn: Fetching flags failed: <url> answered 500: it has a fault"],
  ["502", status(502), "warn: Fetching flags failed: <url> answered 502"],
  ["503", status(503), "warn: Fetching flags failed: <url> answered 503"],
  ["504", status(504), "warn: Fetching flags failed: <url> answered 504"],
  ["a hang", hang, "warn: Fetching flags failed: Cannot reach <url>: No complete answer within"],
  [
    "a hang in the body",
    hangInBody,
    "warn: Fetching flags failed: Cannot reach <url>: No complete",
  ],
  ["a reset", reset, "warn: Fetching flags failed: Cannot reach <url>: "],
  ["a cut connection", truncate, "warn: Fetching flags failed: Cannot reach <url>: "],
  ["truncated JSON", raw('{"features":['), "error: Fetching flags failed: <url> sent no JSON: "],
  ["no content", raw(""), "error: Fetching flags failed: <url> sent no JSON: "],
  ["a web page", raw("<html>"), "error: Fetching flags failed: <url> sent no JSON: "],
  [
    "bad gzip",
    raw("not gzip at all", { "content-encoding": "gzip" }),
    "warn: Fetching flags failed: Cannot",
  ],
  ["a number", json(7), "error: Fetching flags failed: The document is not usable: "],
  ["null", json(null), "error: Fetching flags failed: The document is not usable: "],
  ["a list", json([]), "error: Fetching flags failed: The document is not usable: "],
  ["an error as 200", json({ error: "x" }), "error: Fetching flags failed: The document is not"],
  ["a flag without a name", json({ features: [{}] }), "error: Fetching flags failed: The document"],
  ["null for a flag", json({ features: [null] }), "error: Fetching flags failed: The document is"],
];

/** Shorter than a test lasts, and longer than a good answer takes on a busy machine. */
const TIMEOUT_MS = 500;

describe("FlagsClient keeps its last good flags and recovers by itself", () => {
  it.each(faults.filter(([name]) => !name.startsWith("304")))(
    "when the upstream answers with %s",
    async (_name, fault, message) => {
      const upstream = await startUpstream();
      const client = await startClient(upstream, { timeoutMs: TIMEOUT_MS });
      const told = collectFaults(client);
      upstream.features(fault);
      await expect.poll(() => told.length).toBe(1);
      await upstream.nextOf(2);
      expect(flagNames(client)).toEqual(["a"]);
      expect(client.isEnabled("a")).toBe(true);

      const changed = nextEvent(client, "changed");
      upstream.features(serve(documentOf(flag("a"), flag("b"))));
      await changed;
      expect(flagNames(client)).toEqual(["a", "b"]);
      await expect.poll(() => told.length).toBe(2);
      expect(told[0]).toContain(message.replace("<url>", `${upstream.url}/client/features`));
      expect(told[1]).toMatch(/^warn: Fetching flags works again, failed attempts: \d+$/);
    },
  );

  it.each(faults)("when the upstream begins with %s", async (_name, fault, message) => {
    const upstream = await startUpstream();
    upstream.scriptFeatures(fault, fault);
    const client = createClient(upstream, { timeoutMs: TIMEOUT_MS });
    const told = collectFaults(client);
    client.start();
    await client.synchronized();
    expect(flagNames(client)).toEqual(["a"]);
    expect(told[0]).toContain(message.replace("<url>", `${upstream.url}/client/features`));
  });

  it("when the upstream is not there at all, and comes later", async () => {
    const upstream = await startUpstream();
    const { url, port } = upstream;
    await upstream.close();
    const client = createClient({ url });
    const warned = nextEvent(client, "warn");
    client.start();
    expect((await warned)[0]).toContain("ECONNREFUSED");
    expect(client.snapshot).toBeUndefined();
    await upstream.listen(port);
    await client.synchronized();
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("when faults of several kinds alternate, telling each kind once and counting all", async () => {
    const upstream = await startUpstream();
    const client = await startClient(upstream);
    const told = collectFaults(client);
    let failures = 0;
    client.on("failure", () => {
      failures += 1;
    });
    upstream.scriptFeatures(status(503), status(401), status(503), status(401), reset);
    await upstream.nextOf(6);
    await expect.poll(() => told.length).toBe(4);
    expect(told.map((text) => text.slice(0, 5))).toEqual(["warn:", "error", "warn:", "warn:"]);
    expect(failures).toBe(5);
  });

  it("when a listener throws", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream);
    const errors: Error[] = [];
    client.on("error", (error) => errors.push(error));
    client.on("changed", () => {
      throw new Error("in the listener");
    });
    client.start();
    await client.synchronized();
    expect(errors.map(({ message }) => message)).toEqual(["A listener of the event changed threw"]);
    expect(client.isEnabled("a")).toBe(true);
  });
});

describe("FlagsClient", () => {
  it("does not remember the ETag of a document it could not use", async () => {
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

  it("keeps the ETag of its last good document through an outage", async () => {
    const upstream = await startUpstream();
    const client = await startClient(upstream);
    upstream.scriptFeatures(status(500), reset, json({ features: {} }, { etag: '"bad"' }));
    const requests = await upstream.nextOf(4);
    const etags = new Set(requests.map(({ headers }) => headers["if-none-match"]));
    expect(etags.size).toBe(1);
    expect([...etags][0]).toMatch(/^"[0-9a-f]+"$/);
    expect(client.isEnabled("a")).toBe(true);
  });

  it.each([429, 503, 500])("waits as long as Retry-After asks after a %d", async (code) => {
    const upstream = await startUpstream();
    upstream.scriptFeatures(status(code, { "retry-after": "1" }));
    const client = createClient(upstream);
    const first = upstream.next();
    client.start();
    await first;
    const startMs = performance.now();
    await upstream.next();
    expect(performance.now() - startMs).toBeGreaterThan(950);
  });

  it("says nothing of the token when it is refused", async () => {
    const upstream = await startUpstream();
    upstream.features(status(401));
    const client = createClient(upstream, { token: "top-secret" });
    const failed = nextEvent(client, "error");
    client.start();
    const [error] = await failed;
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain("top-secret");
  });
});
