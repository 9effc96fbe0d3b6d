import { describe, expect, it } from "vitest";
import type { FlagsClientOptions, Synchronization } from "flags-sdk";
import { collectFaults, createClient, flagNames, nextEvent, startUpstream } from "./_client.ts";
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

/** An upstream that ignores all filters. */
async function startIgnorant(query?: object): Promise<Server> {
  const upstream = await startUpstream();
  const streams = new OpenStreams(connected(1, hydration(...FLAGS)));
  upstream.features(json({ version: 2, features: FLAGS, query }));
  upstream.reply(DELTA, json({ events: [hydration(...FLAGS)] }, { etag: '"1"' }));
  upstream.reply(STREAMING, streams.reply);
  return { upstream, streams };
}

async function start(upstream: Upstream, options: Partial<FlagsClientOptions>) {
  const client = createClient(upstream, options);
  const warnings = collectFaults(client);
  client.start();
  await client.synchronized();
  return { client, warnings };
}

const MODES: readonly Synchronization[] = ["polling", "delta", "streaming"];

describe.each(MODES)("with an upstream that ignores filters, %s", (synchronization) => {
  it("leaves out flags of other projects, with one warning", async () => {
    const { upstream } = await startIgnorant();
    const { client, warnings } = await start(upstream, { synchronization, projectName: "shop" });
    expect(flagNames(client).toSorted()).toEqual(["c", "shop-a"]);
    await upstream.nextOf(synchronization === "streaming" ? 0 : 2, pathOf(synchronization));
    expect(warnings).toEqual([
      'warn: The upstream sends flags outside of the project "shop": they are ignored',
    ]);
  });

  it("leaves out flags without the name prefix, and without both", async () => {
    const { upstream } = await startIgnorant();
    const prefix = await start(upstream, { synchronization, namePrefix: "shop-" });
    expect(flagNames(prefix.client)).toEqual(["shop-a", "shop-b"]);
    const both = await start(upstream, {
      synchronization,
      namePrefix: "shop-",
      projectName: "shop",
    });
    expect(flagNames(both.client)).toEqual(["shop-a"]);
    expect(both.warnings).toHaveLength(2);
  });
});

function pathOf(synchronization: Synchronization): string {
  return synchronization === "delta" ? DELTA : "/api/client/features";
}

it("leaves out flags that a stream brings later", async () => {
  const { upstream, streams } = await startIgnorant();
  const { client } = await start(upstream, { synchronization: "streaming", namePrefix: "c" });
  const changed = nextEvent(client, "changed");
  streams.write(update(2, updated(flag("shop-z")), updated(flag("c2"))));
  await changed;
  expect(flagNames(client)).toEqual(["c", "c2"]);
});

it("keeps flags that do not tell their project, and says nothing when filters are honoured", async () => {
  const upstream = await startUpstream();
  const { client, warnings } = await start(upstream, { projectName: "shop", namePrefix: "" });
  expect(flagNames(client)).toEqual(["a"]);
  expect(warnings).toEqual([]);
});

describe("tags", () => {
  it.each(["delta", "streaming"] as const)("have flags polled in spite of %s", async (mode) => {
    const { upstream } = await startIgnorant(CONFIRMED);
    const { warnings } = await start(upstream, { synchronization: mode, tags: TAGS });
    const { query } = await upstream.next();
    expect(query).toBe("tag=team%3Ax&tag=link%3Ahttp%3A%2F%2Fa");
    expect(new Set(upstream.requests.map(({ path }) => path))).toEqual(
      new Set(["/api/client/features"]),
    );
    expect(warnings).toEqual([
      `warn: Upstreams filter by tags only when they are polled: flags are polled, in spite of the synchronization ${mode}`,
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
  ])("are warned of once when the upstream confirms %s", async (_name, query) => {
    const { upstream } = await startIgnorant(query);
    const { warnings } = await start(upstream, { tags: TAGS });
    await upstream.nextOf(2);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^warn: The upstream does not confirm the filter by tags \(team:x.*\): flags without/,
      ),
    ]);
  });

  it("are not warned of when the upstream confirms them", async () => {
    const { upstream } = await startIgnorant(CONFIRMED);
    const { warnings } = await start(upstream, { tags: TAGS });
    await upstream.nextOf(2);
    expect(warnings).toEqual([]);
  });
});
