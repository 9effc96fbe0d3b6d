import { describe, expect, it } from "vitest";
import {
  collectFaults,
  createClient,
  flagNames,
  nextEvent,
  startClient,
  startUpstream,
} from "./_client.ts";
import { DELTA, hydration, removed, updated } from "./_event-stream.ts";
import { documentOf, flag, json, reset, serve, status } from "./_upstream.ts";
import type { Reply } from "./_upstream.ts";

const FEATURES = "/api/client/features";
const delta = { synchronization: "delta" } as const;

const events = (id: number, ...list: readonly object[]): Reply =>
  json({ events: list }, { etag: `"${id}"` });

describe("delta", () => {
  it("asks for everything, then for what has changed since, with the filters", async () => {
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
    ["a removal of nothing", { events: [{ type: "segment-removed" }] }],
  ])("keeps its flags and asks for everything after %s", async (_name, body) => {
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
    const told = collectFaults(client);
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["c"]);
    expect(told[0]).toContain(
      "error: Fetching changes of flags failed: The document is not usable",
    );
    const sent = upstream.seen(DELTA).slice(0, 3);
    expect(sent.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"1"',
      undefined,
    ]);
  });

  it("refuses changes without a hydration before them", async () => {
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
  ])("polls when the upstream answers with %s, and comes back later", async (_name, fault) => {
    const upstream = await startUpstream();
    upstream.reply(DELTA, fault);
    const client = await startClient(upstream, delta);
    expect(flagNames(client)).toEqual(["a"]);
    upstream.features(serve(documentOf(flag("b"))));
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["b"]);
    upstream.reply(DELTA, events(1, hydration(flag("c"))));
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["c"]);
  });

  it("resumes where it was after polling stood in for it", async () => {
    const upstream = await startUpstream();
    upstream.script(DELTA, events(1, hydration(flag("a"), flag("b"))));
    upstream.reply(DELTA, status(500));
    upstream.features(serve(documentOf(flag("polled"))));
    const client = await startClient(upstream, delta);
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["polled"]);
    upstream.script(DELTA, events(2, removed("b")));
    upstream.reply(DELTA, status(304));
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("puts back what it had when that is what there is after polling stood in for it", async () => {
    const upstream = await startUpstream();
    upstream.script(DELTA, events(1, hydration(flag("a"))));
    upstream.reply(DELTA, status(500));
    upstream.features(serve(documentOf(flag("polled"))));
    const client = await startClient(upstream, delta);
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["polled"]);
    upstream.reply(DELTA, status(304));
    await nextEvent(client, "changed");
    expect(flagNames(client)).toEqual(["a"]);
  });
});
