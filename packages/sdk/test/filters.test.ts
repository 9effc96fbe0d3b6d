import { describe, expect, it } from "vitest";
import type { Synchronization } from "flags-sdk";
import { flagNames, flagsAfter, startLogged, startUpstream } from "./_client.ts";
import {
  connected,
  DELTA,
  hydration,
  OpenStreams,
  STREAMING,
  update,
  updated,
} from "./_event-stream.ts";
import { flag, json } from "./_upstream.ts";
import type { Upstream } from "./_upstream.ts";

const FLAGS = [
  flag("shop-a", { project: "shop" }),
  flag("shop-b", { project: "other" }),
  flag("c", { project: "shop" }),
];

const TAGS = [
  { name: "team", value: "x" },
  { name: "link", value: "http://a" },
];

/** Confirms tags as Unleash and flags-admin do. */
const CONFIRMED = {
  tag: [
    ["team", "x"],
    ["link", "http://a"],
  ],
};

interface Server {
  readonly upstream: Upstream;
  readonly streams: OpenStreams;
}

/** Starts an upstream that ignores all filters. */
async function startWithoutFilters(query?: object): Promise<Server> {
  const upstream = await startUpstream();
  const streams = new OpenStreams(connected(1, hydration(...FLAGS)));
  upstream.features(json({ version: 2, features: FLAGS, query }));
  upstream.reply(DELTA, json({ events: [hydration(...FLAGS)] }, { etag: '"1"' }));
  upstream.reply(STREAMING, streams.reply);
  return { upstream, streams };
}

const MODES: readonly Synchronization[] = ["polling", "delta", "streaming"];

describe.each(MODES)("with an upstream that ignores filters, %s", (synchronization) => {
  it("omits flags of other projects, with one warning", async () => {
    const { upstream } = await startWithoutFilters();
    const { client, messages } = await startLogged(upstream, {
      synchronization,
      projectName: "shop",
    });
    expect(flagNames(client).toSorted()).toEqual(["c", "shop-a"]);
    await upstream.nextOf(synchronization === "streaming" ? 0 : 2, pathOf(synchronization));
    expect(messages).toEqual([
      'warn: The upstream sends flags that do not match the project "shop": they are ignored',
    ]);
  });

  it("omits flags without the name prefix, and flags that match only one of both filters", async () => {
    const { upstream } = await startWithoutFilters();
    const prefix = await startLogged(upstream, { synchronization, namePrefix: "shop-" });
    expect(flagNames(prefix.client)).toEqual(["shop-a", "shop-b"]);
    const both = await startLogged(upstream, {
      synchronization,
      namePrefix: "shop-",
      projectName: "shop",
    });
    expect(flagNames(both.client)).toEqual(["shop-a"]);
    expect(both.messages).toHaveLength(2);
  });
});

function pathOf(synchronization: Synchronization): string {
  return synchronization === "delta" ? DELTA : "/api/client/features";
}

it("omits flags that a stream adds later", async () => {
  const { upstream, streams } = await startWithoutFilters();
  const { client } = await startLogged(upstream, { synchronization: "streaming", namePrefix: "c" });
  const event = update(2, updated(flag("shop-z")), updated(flag("c2")));
  expect(await flagsAfter(client, () => streams.write(event))).toEqual(["c", "c2"]);
});

it("keeps flags without a project, and does not warn if the upstream filters correctly", async () => {
  const upstream = await startUpstream();
  const { client, messages } = await startLogged(upstream, { projectName: "shop", namePrefix: "" });
  expect(flagNames(client)).toEqual(["a"]);
  expect(messages).toEqual([]);
});

describe("tags", () => {
  it.each(["delta", "streaming"] as const)("tags cause polling instead of %s", async (mode) => {
    const { upstream } = await startWithoutFilters(CONFIRMED);
    const { messages } = await startLogged(upstream, { synchronization: mode, tags: TAGS });
    const { query } = await upstream.next();
    expect(query).toBe("tag=team%3Ax&tag=link%3Ahttp%3A%2F%2Fa");
    expect(new Set(upstream.requests.map(({ path }) => path))).toEqual(
      new Set(["/api/client/features"]),
    );
    expect(messages).toEqual([
      `warn: Upstreams filter by tags only when they are polled: polling instead of ${mode}`,
    ]);
  });

  it.each([
    ["nothing", undefined],
    [
      "other tags",
      {
        tag: [
          ["team", "y"],
          ["link", "http://a"],
        ],
      },
    ],
    ["something else", { tag: 7 }],
    ["an object", { tag: [{ toString: 1 }, [{ toString: 1 }]] }],
  ])("tags cause one warning if the upstream confirms %s", async (_name, query) => {
    const { upstream } = await startWithoutFilters(query);
    const { messages } = await startLogged(upstream, { tags: TAGS });
    await upstream.nextOf(2);
    expect(messages).toEqual([
      expect.stringMatching(
        /^warn: The upstream does not confirm the filter by tags \(team:x.*\): flags without/,
      ),
    ]);
  });

  it("tags cause no warning if the upstream confirms them", async () => {
    const { upstream } = await startWithoutFilters(CONFIRMED);
    const { messages } = await startLogged(upstream, { tags: TAGS });
    await upstream.nextOf(2);
    expect(messages).toEqual([]);
  });
});
