import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FlagSource, FlagsClient } from "flags-sdk";
import { describe, expect, it } from "vitest";
import { Signal } from "../src/schedule/signal.ts";
import { collectFaults, createClient, nextEvent, startClient, startUpstream } from "./_client.ts";
import { documentOf, flag, hang, hangInBody, serve, status } from "./_upstream.ts";
import type { Reply } from "./_upstream.ts";

const run = promisify(execFile);
const SDK = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Runs a script in a process of its own, in which `client` is a client of the upstream. */
function runScript(url: string, script: string): Promise<{ stdout: string; stderr: string }> {
  const options = JSON.stringify({ url, appName: "app", refreshIntervalMs: 50 });
  const setUp = `import { createFlagsClient } from ${JSON.stringify(SDK)};
    const client = createFlagsClient(${options});`;
  const args = ["--input-type=module", "-e", `${setUp}\n${script}`];
  return run(process.execPath, args, { timeout: 10_000 });
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("FlagsClient", () => {
  it("is a FlagSource", async () => {
    const source: FlagSource = createClient(await startUpstream());
    expect(source.snapshot).toBeUndefined();
  });

  it("start() makes no second client when it is called twice", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream, { refreshIntervalMs: 0 });
    client.start();
    client.start();
    await client.synchronized();
    expect(upstream.requests).toHaveLength(1);
  });

  it("asks nothing before start(), nor when it is started after close()", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream);
    await client.close();
    client.start();
    await expect(client.synchronized()).rejects.toThrow("closed");
    expect(upstream.requests).toEqual([]);
  });

  it("synchronized() resolves also when it is asked late, and after close()", async () => {
    const client = await startClient(await startUpstream());
    await client.close();
    await expect(client.synchronized()).resolves.toBeUndefined();
  });

  it("close() can be called twice and leaves the flags as they were", async () => {
    const upstream = await startUpstream();
    const client = await startClient(upstream);
    await Promise.all([client.close(), client.close()]);
    await client.close();
    const { length } = upstream.requests;
    upstream.features(status(500));
    await new Promise((resolve) => {
      setTimeout(resolve, 60);
    });
    expect(upstream.requests).toHaveLength(length);
    expect(client.isEnabled("a")).toBe(true);
  });

  it.each<[string, Reply]>([
    ["has no answer yet", hang],
    ["is half answered", hangInBody],
  ])("close() is prompt and silent while a request %s", async (_name, reply) => {
    const upstream = await startUpstream();
    upstream.features(reply);
    const client = createClient(upstream);
    const told = collectFaults(client);
    const asked = upstream.next();
    client.start();
    await asked;
    const startMs = performance.now();
    await client.close();
    expect(performance.now() - startMs).toBeLessThan(1000);
    expect(told).toEqual([]);
  });

  it("close() while flags are being put in force leaves it at those from before", async () => {
    const upstream = await startUpstream();
    upstream.features(hang);
    const reached = new Signal();
    const last = {
      ...flag("last"),
      /** Is read when all the flags before it were. */
      get type(): string {
        reached.resolve();
        return "release";
      },
    };
    const features = [...Array.from({ length: 5000 }, (_, index) => flag(`flag ${index}`)), last];
    const storageProvider = { get: async () => ({ features }), set: async () => undefined };
    const client = createClient(upstream, { storageProvider });
    const told = collectFaults(client);
    client.on("changed", () => told.push("changed"));
    client.start();
    await reached.promise;
    await client.close();
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    expect(client.snapshot).toBeUndefined();
    expect(told).toEqual([]);
  });

  it("is closed at the end of an `await using`", async () => {
    const client = createClient(await startUpstream());
    await client[Symbol.asyncDispose]();
    await expect(client.synchronized()).rejects.toThrow("closed");
  });

  it("beforeChange() has steps done with each snapshot before it is in force", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream);
    const log: string[] = [];
    const end = client.beforeChange(function* (snapshot, former) {
      log.push(`prepares ${snapshot.flags.length}, after ${former?.flags.length}`);
      yield;
      log.push(`in force: ${client.snapshot?.flags.length}`);
    });
    client.on("changed", ({ flags }) => log.push(`changed to ${flags.length}`));
    client.start();
    await client.synchronized();
    const changed = nextEvent(client, "changed");
    upstream.features(serve(documentOf(flag("a"), flag("b"))));
    await changed;
    const first = ["prepares 1, after undefined", "in force: undefined", "changed to 1"];
    expect(log.splice(0)).toEqual([...first, "prepares 2, after 1", "in force: 1", "changed to 2"]);

    end();
    const changedAgain = nextEvent(client, "changed");
    upstream.features(serve(documentOf(flag("c"))));
    await changedAgain;
    expect(log).toEqual(["changed to 1"]);
  });

  it("off() removes a listener", async () => {
    const client = await startClient(await startUpstream());
    let calls = 0;
    const listener = (): void => {
      calls += 1;
    };
    const self: FlagsClient = client.on("count", listener).off("count", listener);
    self.isEnabled("a");
    expect(calls).toBe(0);
  });
});

describe("a process", () => {
  it("does not crash from errors nobody listens to", async () => {
    const upstream = await startUpstream();
    upstream.features(status(401));
    const script = "client.start(); setTimeout(() => client.close(), 300);";
    const { stderr } = await runScript(upstream.url, script);
    expect(stderr).toBe("");
    expect(upstream.requests.length).toBeGreaterThan(1);
  });

  it("is not kept alive by the timers of a client", async () => {
    const upstream = await startUpstream();
    await runScript(upstream.url, "client.start(); await client.synchronized();");
    expect(upstream.requests.length).toBeLessThan(5);
  });

  it("ends after close() with nothing left behind", async () => {
    const upstream = await startUpstream();
    const script = `client.start(); await client.synchronized();
      client.isEnabled("a"); await client.close(); console.log("closed");`;
    const { stdout, stderr } = await runScript(upstream.url, script);
    expect([stdout, stderr]).toEqual(["closed\n", ""]);
    expect(upstream.seen("/api/client/metrics")).toHaveLength(1);
  });
});
