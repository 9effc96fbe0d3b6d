import { describe, expect, it } from "vitest";
import {
  collectMessages,
  createClient,
  flagNames,
  flagsAfter,
  nextEvent,
  startClient,
  startUpstream,
} from "./_client.ts";
import { DELTA, hydration, removed, updated } from "./_event-stream.ts";
import { documentOf, FEATURES, flag, json, reset, serve, status } from "./_upstream.ts";
import type { Reply } from "./_upstream.ts";

const delta = { synchronization: "delta" } as const;

const events = (id: number, ...list: readonly object[]): Reply =>
  json({ events: list }, { etag: `"${id}"` });

describe("delta", () => {
  it("fetches everything, then the changes since the last ETag, with the filters", async () => {
    const upstream = await startUpstream();
    upstream.script(
      DELTA,
      events(1, hydration(flag("x-b"))),
      events(2, updated(flag("x-a"))),
      status(304),
      events(3, removed("x-b")),
    );
    upstream.reply(DELTA, status(304));
    const client = createClient(upstream, { ...delta, namePrefix: "x", token: "t" });
    const requests = upstream.nextOf(5, DELTA);
    const changes: (readonly string[])[] = [];
    client.on("changed", () => changes.push(flagNames(client)));
    client.start();
    const seen = await requests;
    expect(seen.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"1"',
      '"2"',
      '"2"',
      '"3"',
    ]);
    expect(seen[0]).toMatchObject({
      query: "namePrefix=x",
      headers: { accept: "application/json", authorization: "t", "unleash-client-spec": "5.2.0" },
    });
    expect(changes).toEqual([["x-b"], ["x-a", "x-b"], ["x-a"]]);
    expect(upstream.seen(FEATURES)).toHaveLength(0);
  });

  it.each([
    ["a flag without a name", { events: [updated({})] }],
    ["no list of events", { events: 7 }],
    ["a document", documentOf(flag("b"))],
    ["a removal without an id", { events: [{ type: "segment-removed" }] }],
  ])("keeps its flags and fetches everything after %s", async (_name, body) => {
    const upstream = await startUpstream();
    upstream.script(
      DELTA,
      events(1, hydration(flag("a"))),
      json(body, { etag: '"2"' }),
      events(3, hydration(flag("c"))),
    );
    upstream.reply(DELTA, status(304));
    upstream.features(status(503));
    const client = await startClient(upstream, delta);
    const messages = collectMessages(client);
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["c"]);
    expect(messages[0]).toContain(
      "error: Fetching changes of flags failed: The document is not usable",
    );
    const sent = upstream.seen(DELTA).slice(0, 3);
    expect(sent.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"1"',
      undefined,
    ]);
  });

  it("rejects changes without a preceding hydration", async () => {
    const upstream = await startUpstream();
    upstream.script(DELTA, events(5, updated(flag("alone"))), events(6));
    upstream.reply(DELTA, events(7, hydration(flag("all"))));
    upstream.features(status(503));
    const client = await startClient(upstream, delta);
    expect(flagNames(client)).toEqual(["all"]);
  });

  it.each<[string, Reply]>([
    ["404", status(404)],
    ["405", status(405)],
    ["501", status(501)],
    ["503", status(503)],
    ["401", status(401)],
    ["a reset", reset],
  ])(
    "polls if the upstream responds with %s, and returns to deltas later",
    async (_name, failure) => {
      const upstream = await startUpstream();
      upstream.reply(DELTA, failure);
      const client = await startClient(upstream, delta);
      expect(flagNames(client)).toEqual(["a"]);
      const servePolled = (): void => upstream.features(serve(documentOf(flag("b"))));
      expect(await flagsAfter(client, servePolled)).toEqual(["b"]);
      const serveDelta = (): void => upstream.reply(DELTA, events(1, hydration(flag("c"))));
      expect(await flagsAfter(client, serveDelta)).toEqual(["c"]);
    },
  );

  describe("after a fallback to polling", () => {
    it.each([
      ["applies further changes", events(2, removed("b")), ["a"]],
      ["restores its flags if there are no further changes", status(304), ["a", "b"]],
    ])("%s", async (_name, next, expected) => {
      const upstream = await startUpstream();
      upstream.script(DELTA, events(1, hydration(flag("a"), flag("b"))));
      upstream.reply(DELTA, status(500));
      upstream.features(serve(documentOf(flag("polled"))));
      const client = await startClient(upstream, delta);
      await nextEvent(client, "changed");
      expect(flagNames(client)).toEqual(["polled"]);
      const resume = (): void => {
        upstream.script(DELTA, next);
        upstream.reply(DELTA, status(304));
      };
      expect(await flagsAfter(client, resume)).toEqual(expected);
    });
  });
});
