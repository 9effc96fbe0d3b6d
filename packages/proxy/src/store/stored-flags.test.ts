import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { flag } from "../../test/_documents.ts";
import { MemoryLogger } from "../../test/_proxy.ts";
import { DocumentSource } from "../../test/_source.ts";
import { FileStore } from "./file-store.ts";
import { describeAge, StoredFlags } from "./stored-flags.ts";
import type { StoredSource } from "./source-identity.ts";
import { GuardedStore } from "./guarded-store.ts";
import type { Store } from "./store.ts";

const NOW = 1_700_000_000_000;
const SECOND = 1000;
const HOUR = 3600 * SECOND;

const SOURCE: StoredSource = {
  upstreamUrl: "https://flags.example/api",
  token: "*:production.upstream-token",
  projectName: undefined,
  namePrefix: undefined,
  tags: [],
};

let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-storage-"));
});

afterAll(() => rm(directory, { recursive: true }));

const definitionsOf = (...names: string[]) => ({
  version: 2,
  features: names.map((name) => flag(name)),
  segments: [],
});

let folders = 0;

/** Returns a directory for a store, which does not exist yet. */
function nextFolder(): string {
  folders += 1;
  return join(directory, String(folders));
}

/** A source with its storage, as one replica has it. */
class Replica {
  readonly logger = new MemoryLogger();
  readonly flags = new DocumentSource();
  readonly storage: StoredFlags;
  readonly #now: number;

  constructor(
    folder: string,
    { source = SOURCE, now = NOW, wrap = (store: Store) => store, timeoutMs = 5000 } = {},
  ) {
    const { logger } = this;
    this.#now = now;
    const open = (): Promise<Store> => Promise.resolve(wrap(new FileStore(folder)));
    const store = new GuardedStore({ address: "file:x", open, logger, timeoutMs });
    this.storage = new StoredFlags({ store, source, logger, now: () => now });
    this.storage.follow(this.flags);
    onTestFinished(() => this.storage.close());
  }

  get messages(): readonly unknown[] {
    return this.logger.lines.map(({ parts: [message] }) => message);
  }

  /** Stores flags that the upstream confirmed at a time. */
  async store(name: string, confirmedAtMs = NOW): Promise<void> {
    this.flags.replace(definitionsOf(name));
    this.flags.lastFetchAtMs = confirmedAtMs;
    // As of each reading, because a test can take any time.
    const get = (): number => performance.now() - (this.#now - confirmedAtMs);
    Object.defineProperty(this.flags, "confirmedAtMs", { get, configurable: true });
    await this.storage.set("app", this.flags.definitions);
  }

  /** Whether the store contains no usable flags. The source has flags, so that the store is read only once. */
  async findsNothing(): Promise<boolean> {
    this.flags.replace(definitionsOf("own"));
    return (await this.restore()) === undefined;
  }

  /** Returns the names of the stored flags. */
  async restore(): Promise<readonly string[] | undefined> {
    const restored = (await this.storage.get()) as { features: { name: string }[] } | undefined;
    return restored?.features.map(({ name }) => name);
  }
}

/** Returns the path of the only file below a directory. */
async function findFile(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith("-previous"));
  expect(files).toHaveLength(1);
  return files.map(({ parentPath, name }) => join(parentPath, name)).join();
}

const broken = (): Promise<never> => Promise.reject(new Error("connection refused"));
const BROKEN: Store = { read: broken, write: broken, remove: broken, close: broken };

describe("restoring flags", () => {
  test("nothing is restored from an empty store", async () => {
    const replica = new Replica(nextFolder());
    expect(await replica.findsNothing()).toBe(true);
    expect(replica.messages).toEqual([]);
  });

  test.each([
    ["is empty", undefined],
    ["contains a damaged document", Buffer.from("damaged")],
  ])(
    "a store that %s is read again until another replica has stored flags",
    async (_name, first) => {
      const folder = nextFolder();
      let reads = 0;
      const replica = new Replica(folder, {
        wrap: (store) => ({
          ...BROKEN,
          read: async (key, signal) => {
            reads += 1;
            if (reads > 1) return store.read(key, signal);
            await new Replica(folder).store("a");
            return first;
          },
        }),
      });
      expect(await replica.restore()).toEqual(["a"]);
      expect(reads).toBe(2);
    },
  );

  test("flags of another replica are restored, with the time when the upstream confirmed them", async () => {
    const folder = nextFolder();
    await new Replica(folder).store("a", NOW - 5 * SECOND);
    const replica = new Replica(folder);
    expect(await replica.restore()).toEqual(["a"]);
    expect(Math.round((replica.storage.ageMs() ?? 0) / SECOND)).toBe(5);
    const { storedConfirmedAtMs = 0 } = replica.storage;
    expect(Math.round((storedConfirmedAtMs - NOW) / SECOND)).toBe(-5);
  });

  test.each<[string, Partial<StoredSource>]>([
    ["upstream", { upstreamUrl: "https://other.example/api" }],
    ["environment", { token: "*:development.upstream-token" }],
    ["project", { token: "shop:production.upstream-token" }],
    ["token", { token: "*:production.another-token" }],
    ["selected project", { projectName: "shop" }],
    ["prefix", { namePrefix: "shop" }],
    ["tag", { tags: [{ name: "team", value: "shop" }] }],
  ])("no flags of another %s are restored", async (_name, other) => {
    const folder = nextFolder();
    await new Replica(folder).store("a");
    const replica = new Replica(folder, { source: { ...SOURCE, ...other } });
    expect(await replica.findsNothing()).toBe(true);
  });

  test("flags are restored if only the spelling of the address or the order of tags differs", async () => {
    const folder = nextFolder();
    const tags = ["a", "b"].map((name) => ({ name, value: "x" }));
    await new Replica(folder, { source: { ...SOURCE, tags } }).store("a");
    const upstreamUrl = "https://FLAGS.example:443/api/";
    const source = { ...SOURCE, upstreamUrl, tags: tags.toReversed() };
    expect(await new Replica(folder, { source }).restore()).toEqual(["a"]);
  });

  test("no flags are restored from a document that was moved from another source", async () => {
    const [folder, otherFolder] = [nextFolder(), nextFolder()];
    await new Replica(folder).store("a");
    const other = { ...SOURCE, token: "*:development.upstream-token" };
    await new Replica(otherFolder, { source: other }).store("b");
    await writeFile(await findFile(otherFolder), await readFile(await findFile(folder)));
    const replica = new Replica(otherFolder, { source: other });
    expect(await replica.findsNothing()).toBe(true);
    expect(replica.messages.join()).toMatch(/Ignoring the flags .* belongs to another upstream/);
  });

  test("no flags are restored from a damaged document, which the next flags replace", async () => {
    const folder = nextFolder();
    await new Replica(folder).store("a");
    await writeFile(await findFile(folder), "damaged");
    const replica = new Replica(folder);
    expect(await replica.findsNothing()).toBe(true);
    expect(replica.messages.join()).toMatch(/Ignoring the flags .* incomplete/);
    expect(await replica.findsNothing()).toBe(true);
    expect(replica.messages).toHaveLength(1);
    expect(replica.storage.rejectedDocuments).toBe(2);
    await replica.store("b");
    expect(await new Replica(folder).restore()).toEqual(["b"]);
  });
});

test("the store contains no token, in names or contents", async () => {
  const folder = nextFolder();
  await new Replica(folder).store("a");
  const file = await findFile(folder);
  expect(file).not.toContain("upstream-token");
  expect((await readFile(file)).toString("latin1")).not.toContain("upstream-token");
});

describe("storing flags", () => {
  test("each change is stored", async () => {
    const folder = nextFolder();
    const replica = new Replica(folder);
    for (const name of ["a", "b", "c"]) {
      // oxlint-disable-next-line no-await-in-loop -- one change after the other
      await replica.store(name);
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await new Replica(folder).restore()).toEqual([name]);
    }
    await findFile(folder);
  });

  test("nothing is stored if another replica has stored the same flags", async () => {
    const folder = nextFolder();
    await new Replica(folder).store("a");
    const before = await readFile(await findFile(folder));
    const replica = new Replica(folder);
    await replica.store("a", NOW + SECOND);
    expect((await readFile(await findFile(folder))).equals(before)).toBe(true);
    const { storedConfirmedAtMs = 0 } = replica.storage;
    expect(Math.round((storedConfirmedAtMs - NOW) / SECOND)).toBe(0);
    expect([...replica.storage.store.operations].map(({ operation }) => operation)).toEqual([
      "read",
    ]);
  });

  test("a later confirmation of the same flags is stored", async () => {
    const folder = nextFolder();
    await new Replica(folder).store("a");
    await new Replica(folder).store("a", NOW + 31 * SECOND);
    const replica = new Replica(folder, { now: NOW + 61 * SECOND });
    await replica.restore();
    expect(Math.round((replica.storage.ageMs() ?? 0) / SECOND)).toBe(30);
  });

  test("flags that were confirmed before those in the store are not stored", async () => {
    const folder = nextFolder();
    await new Replica(folder).store("new", NOW);
    await new Replica(folder).store("old", NOW - SECOND);
    expect(await new Replica(folder).restore()).toEqual(["new"]);
  });

  test("flags whose time is more than two minutes in the future are replaced", async () => {
    const folder = nextFolder();
    const ahead = NOW + 119 * SECOND;
    await new Replica(folder, { now: ahead }).store("ahead", ahead);
    await new Replica(folder).store("right", NOW);
    expect(await new Replica(folder).restore()).toEqual(["ahead"]);
    const farAhead = NOW + 121 * SECOND;
    await new Replica(folder, { now: farAhead }).store("far ahead", farAhead);
    await new Replica(folder).store("right", NOW);
    expect(await new Replica(folder).restore()).toEqual(["right"]);
  });

  test("flags whose time is more than two minutes in the future are restored, but have no age", async () => {
    const folder = nextFolder();
    await new Replica(folder, { now: NOW + HOUR }).store("a", NOW + HOUR);
    const replica = new Replica(folder);
    expect(await replica.restore()).toEqual(["a"]);
    expect(replica.storage.ageMs()).toBeUndefined();
    expect(replica.storage.describeAge()).toBe("at an unknown time");
  });

  test("the document before the last change is kept under another name, and can be put back", async () => {
    const folder = nextFolder();
    const replica = new Replica(folder);
    await replica.store("good");
    await replica.store("bad", NOW + SECOND);
    const file = await findFile(folder);
    await copyFile(`${file}-previous`, file);
    expect(await new Replica(folder).restore()).toEqual(["good"]);
  });
});

describe("a store that fails", () => {
  test("a store that fails is logged once, and again when it works", async () => {
    const folder = nextFolder();
    let isBroken = true;
    const replica = new Replica(folder, {
      wrap: (store) => ({
        ...BROKEN,
        read: (key, signal) => store.read(key, signal),
        write: (...args) => (isBroken ? broken() : store.write(...args)),
      }),
    });
    await replica.store("a");
    await replica.store("b");
    isBroken = false;
    await replica.store("c");
    expect(replica.messages).toEqual([
      "Writing to the store file:x failed: connection refused",
      "Writing to the store file:x works again after 2 failed attempts",
    ]);
    expect(await new Replica(folder).restore()).toEqual(["c"]);
  });

  test("a store that fails is read again until it works", async () => {
    const folder = nextFolder();
    await new Replica(folder).store("a");
    let attempts = 0;
    const replica = new Replica(folder, {
      wrap: (store) => ({
        ...BROKEN,
        read: (key, signal) => ((attempts += 1) < 2 ? broken() : store.read(key, signal)),
      }),
    });
    expect(await replica.restore()).toEqual(["a"]);
    expect(attempts).toBe(2);
  });

  test("a store that fails is not read again once the source has flags", async () => {
    const replica = new Replica(nextFolder(), { wrap: () => BROKEN });
    replica.flags.replace(definitionsOf("a"));
    expect(await replica.restore()).toBeUndefined();
    expect([...replica.storage.store.operations]).toEqual([
      { operation: "read", result: "failure", count: 1 },
    ]);
  });

  test("a store that fails does not delay close()", async () => {
    const replica = new Replica(nextFolder(), { wrap: () => BROKEN });
    const restored = replica.restore();
    await replica.storage.close();
    expect(await restored).toBeUndefined();
  });

  test("an operation of a store that hangs times out", async () => {
    const hang = (): Promise<never> => new Promise(() => {});
    const wrap = (): Store => ({ ...BROKEN, read: hang, write: hang });
    const replica = new Replica(nextFolder(), { wrap, timeoutMs: 10 });
    await replica.store("a");
    expect(replica.messages).toEqual([
      "Reading from the store file:x failed: No complete response within 10 ms",
    ]);
    expect([...replica.storage.store.operations]).toEqual([
      { operation: "read", result: "timeout", count: 1 },
    ]);
  });
});

test.each([
  [-SECOND, "less than a second ago"],
  [999, "less than a second ago"],
  [SECOND, "1 second ago"],
  [59.9 * SECOND, "59 seconds ago"],
  [60 * SECOND, "1 minute ago"],
  [HOUR, "1 hour ago"],
  [23.9 * HOUR, "23 hours ago"],
  [49 * HOUR, "2 days ago"],
])("describeAge(%i) is %j", (ageMs, expected) => {
  expect(describeAge(ageMs)).toBe(expected);
});
