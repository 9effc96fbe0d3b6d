import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileStorageProvider, type FlagsClient, MemoryStorageProvider } from "flags-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
import { documentOf, flag, hang, json, serve, status } from "./_upstream.ts";

let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-sdk-"));
});

afterAll(() => rm(directory, { recursive: true }));

function collectEvents(client: FlagsClient): string[] {
  const events: string[] = [];
  for (const event of ["changed", "ready", "unchanged"] as const) {
    client.on(event, () => events.push(event));
  }
  client.on("synchronized", (origin) => events.push(`synchronized: ${origin}`));
  return events;
}

async function write(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

describe("bootstrap", () => {
  it("bootstrap data is used while the upstream is down, and counts as synchronized", async () => {
    const upstream = await startUpstream();
    upstream.features(status(503));
    const client = createClient(upstream, { bootstrap: { data: [flag("boot")] } });
    const events = collectEvents(client);
    client.start();
    await client.synchronized();
    expect(flagNames(client)).toEqual(["boot"]);
    expect(client.isEnabled("boot")).toBe(true);
    expect(client.lastFetchAtMs).toBeUndefined();
    expect(client.lastUpdateAtMs).toBeUndefined();
    expect([client.origin, client.confirmedAtMs]).toEqual(["bootstrap", undefined]);

    const recover = (): void => upstream.features(serve(documentOf(flag("up"))));
    expect(await flagsAfter(client, recover)).toEqual(["up"]);
    expect(events).toEqual(["changed", "synchronized: bootstrap", "ready", "changed"]);
    expect(client.lastUpdateAtMs).toBe(client.lastFetchAtMs);
    expect([client.origin, client.isLive]).toEqual(["upstream", false]);
    expect(client.confirmedAtMs).toBeLessThanOrEqual(performance.now());
  });

  it("bootstrap data is evaluated with its segments", async () => {
    const upstream = await startUpstream();
    upstream.features(hang);
    const segments = [
      { id: 7, constraints: [{ contextName: "userId", operator: "IN", values: ["7"] }] },
    ];
    const data = [flag("boot", { strategies: [{ name: "default", segments: [7] }] })];
    const client = await startClient(upstream, { bootstrap: { data, segments } });
    expect(client.isEnabled("boot", { userId: "7" })).toBe(true);
    expect(client.isEnabled("boot", { userId: "8" })).toBe(false);
  });

  it("the bootstrap url is requested with its own headers and without the token", async () => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    upstream.features(hang);
    other.reply("/flags.json", json(documentOf(flag("boot"))));
    const client = await startClient(upstream, {
      token: "token",
      customHeaders: { "x-custom": "custom" },
      bootstrap: { url: `${other.origin}/flags.json`, urlHeaders: { Authorization: "boot" } },
    });
    expect(flagNames(client)).toEqual(["boot"]);
    const headers = other.seen("/flags.json")[0]?.headers;
    expect(headers?.authorization).toBe("boot");
    expect(headers).not.toHaveProperty("x-custom");
  });

  it("the bootstrap url is requested until it succeeds, after any failure", async () => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    upstream.features(hang);
    other.reply("/flags.json", json(documentOf(flag("boot"))));
    other.script("/flags.json", status(500), status(404), json({ features: 1 }), json("x"));
    const url = `${other.origin}/flags.json`;
    const client = await startClient(upstream, { bootstrap: { url } });
    expect(flagNames(client)).toEqual(["boot"]);
    expect(other.seen("/flags.json")).toHaveLength(5);
  });

  it.each([
    [401, "it requires credentials: check the headers for the bootstrap URL"],
    [403, "access is forbidden: check the headers for the bootstrap URL"],
    [404, "check the bootstrap URL"],
    [500, "the server failed"],
  ])("a bootstrap url that responds with %i is logged with a hint: %s", async (code, hint) => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    upstream.features(hang);
    other.reply("/flags.json", status(code));
    const client = createClient(upstream, { bootstrap: { url: `${other.origin}/flags.json` } });
    const messages = collectMessages(client);
    client.start();
    await nextEvent(client, "failure");
    await expect.poll(() => messages.length).toBe(1);
    expect(messages[0]).toContain(`Loading the bootstrap URL failed: ${other.origin}/flags.json`);
    expect(messages[0]).toContain(hint);
    expect(messages[0]).not.toMatch(/\/api\b|API/);
  });

  it("the bootstrap url is not requested again after the first response of the upstream", async () => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    other.reply("/flags.json", status(500));
    const requested = other.next("/flags.json");
    const bootstrap = { url: `${other.origin}/flags.json` };
    const { messages } = await startLogged(upstream, { bootstrap });
    await requested;
    const { length } = other.requests;
    await upstream.nextOf(4);
    expect(other.requests.length - length).toBeLessThanOrEqual(1);
    expect(messages.join()).not.toContain("works again");
  });

  it("the bootstrap file is loaded", async () => {
    const upstream = await startUpstream();
    upstream.features(hang);
    const filePath = await write("flags.json", JSON.stringify(documentOf(flag("boot"))));
    const client = await startClient(upstream, { bootstrap: { filePath } });
    expect(flagNames(client)).toEqual(["boot"]);
  });

  it.each([
    ["missing", undefined, "Cannot read the file: ENOENT"],
    ["broken", "{", "The document is not usable: .*JSON"],
    ["wrong", '{"features":{}}', "The document is not usable: features must be a list"],
  ])("a %s bootstrap file is an error, and the upstream is used", async (name, text, reason) => {
    const upstream = await startUpstream();
    const filePath =
      text === undefined ? join(directory, "none.json") : await write(`${name}.json`, text);
    upstream.features(status(503));
    const client = createClient(upstream, { bootstrap: { filePath } });
    const failures: string[] = [];
    client.on("failure", ({ code }) => failures.push(code));
    const failed = nextEvent(client, "error");
    client.start();
    const [{ message }] = await failed;
    expect(message).toContain(`Loading the bootstrap file ${filePath} failed: `);
    expect(message).toMatch(new RegExp(reason));
    upstream.features(serve(documentOf(flag("a"))));
    await client.synchronized();
    expect(flagNames(client)).toEqual(["a"]);
    expect(failures.filter((code) => code !== "STATUS")).toEqual([]);
  });

  it("a bootstrap without flags is ignored, with a warning", async () => {
    const upstream = await startUpstream();
    upstream.features(status(503));
    const client = createClient(upstream, { bootstrap: { data: [] } });
    const messages = collectMessages(client);
    client.start();
    await upstream.nextOf(2);
    expect(client.snapshot).toBeUndefined();
    expect(messages).toContain("warn: The bootstrap data contains no flags and is ignored");
  });

  it("a bootstrap that arrives after the first response of the upstream is ignored", async () => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    let respond: (() => void) | undefined;
    other.reply("/flags.json", (response, request) => {
      respond = () => json(documentOf(flag("boot")))(response, request);
    });
    const client = await startClient(upstream, {
      bootstrap: { url: `${other.origin}/flags.json` },
    });
    await expect.poll(() => respond !== undefined).toBe(true);
    respond?.();
    await upstream.nextOf(2);
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("the bootstrap is not stored", async () => {
    const upstream = await startUpstream();
    upstream.features(status(503));
    const storageProvider = new MemoryStorageProvider();
    const bootstrap = { data: [flag("boot")] };
    const client = await startClient(upstream, { bootstrap, storageProvider });
    await client.close();
    expect(await storageProvider.get("app")).toBeUndefined();
  });
});

describe("storageProvider", () => {
  it("storage provides the last good flags after a restart if the upstream is down", async () => {
    const upstream = await startUpstream();
    const options = { storageProvider: new FileStorageProvider(join(directory, "restart")) };
    const first = await startClient(upstream, options);
    const { revision } = first.snapshot ?? {};
    await first.close();

    upstream.features(status(503));
    const second = createClient(upstream, options);
    const events = collectEvents(second);
    const ready = nextEvent(second, "ready");
    second.start();
    await ready;
    expect(second.isEnabled("a")).toBe(true);
    expect(second.snapshot?.revision).toBe(revision);
    expect(events).toEqual(["changed", "ready"]);

    upstream.features(serve(documentOf(flag("a"))));
    await second.synchronized();
    expect(events).toEqual(["changed", "ready", "unchanged", "synchronized: upstream"]);
    expect(second.lastUpdateAtMs).toBeDefined();
  });

  it("the storage provider can report the age of its flags", async () => {
    const upstream = await startUpstream();
    upstream.features(status(503));
    class AgedProvider extends MemoryStorageProvider {
      ageMs = (): number => 60_000;
    }
    const storageProvider = new AgedProvider();
    await storageProvider.set("app", documentOf(flag("stored")));
    const client = createClient(upstream, { appName: "app", storageProvider });
    client.start();
    await nextEvent(client, "ready");
    expect(client.origin).toBe("store");
    expect(client.confirmedAtMs).toBeLessThanOrEqual(performance.now() - 60_000);
  });

  it("without storage, there are no flags after a restart if the upstream is down", async () => {
    const upstream = await startUpstream();
    await (await startClient(upstream)).close();
    upstream.features(status(503));
    const second = createClient(upstream);
    second.start();
    await upstream.nextOf(2);
    expect(second.snapshot).toBeUndefined();
  });

  it("the latest document is stored", async () => {
    const upstream = await startUpstream();
    const storageProvider = new MemoryStorageProvider();
    const client = await startClient(upstream, { storageProvider });
    upstream.features(serve(documentOf(flag("b"))));
    await nextEvent(client, "changed");
    await client.close();
    expect(await storageProvider.get("app")).toEqual({
      version: 2,
      features: [flag("b")],
      segments: [],
    });
  });

  it.each([
    ["throws", () => Promise.reject(new Error("broken")), "Restoring flags from storage failed"],
    [
      "returns an invalid document",
      () => Promise.resolve("nonsense"),
      "The stored flags are not usable",
    ],
  ])("a storage provider that %s only causes a warning", async (_name, get, message) => {
    const upstream = await startUpstream();
    const set = (): Promise<void> => Promise.reject(new Error("disk full"));
    const storageProvider = { get, set };
    const { client, messages } = await startLogged(upstream, { storageProvider });
    await expect.poll(() => messages.length).toBe(2);
    expect(messages.toSorted().join("\n")).toContain(message);
    expect(messages).toContain("warn: Storing flags failed: disk full");
    expect(client.isEnabled("a")).toBe(true);
  });

  it("stored definitions without flags are used, because the upstream has confirmed them", async () => {
    const upstream = await startUpstream();
    upstream.features(serve(documentOf()));
    const storageProvider = new MemoryStorageProvider();
    await (await startClient(upstream, { storageProvider })).close();

    upstream.features(status(503));
    const second = createClient(upstream, { storageProvider });
    const ready = nextEvent(second, "ready");
    second.start();
    await ready;
    expect([second.origin, flagNames(second)]).toEqual(["store", []]);
  });

  it.each([
    [true, ["boot"]],
    [false, ["stored"]],
  ])(
    "with stored flags and a bootstrap whose override is %s, %j is used",
    async (override, expected) => {
      const upstream = await startUpstream();
      upstream.features(status(503));
      const storageProvider = new MemoryStorageProvider();
      await storageProvider.set("app", documentOf(flag("stored")));
      const bootstrap = { data: [flag("boot")], override };
      const client = createClient(upstream, { storageProvider, bootstrap });
      client.start();
      await upstream.nextOf(2);
      expect(flagNames(client)).toEqual(expected);
    },
  );
});
