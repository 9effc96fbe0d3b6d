import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FlagsClient } from "flags-sdk";
import { describe, expect, it } from "vitest";
import {
  collectMessages,
  createClient,
  flagsAfter,
  startClient,
  startUpstream,
  waitForPolls,
} from "./_client.ts";
import { documentOf, flag, hang, hangInBody, serve, status } from "./_upstream.ts";
import type { Reply } from "./_upstream.ts";

const run = promisify(execFile);
const SDK = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Runs a script in a separate process, with a variable `client` for a client of the upstream. */
function runScript(url: string, script: string): Promise<{ stdout: string; stderr: string }> {
  const options = JSON.stringify({ url, appName: "app", refreshIntervalMs: 50 });
  const setUp = `import { createFlagsClient } from ${JSON.stringify(SDK)};
    const client = createFlagsClient(${options});`;
  const args = ["--input-type=module", "-e", `${setUp}\n${script}`];
  return run(process.execPath, args, { timeout: 60_000 });
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("FlagsClient", () => {
  it("start() has no effect when called again", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream, { refreshIntervalMs: 0 });
    client.start();
    client.start();
    await client.synchronized();
    await waitForPolls(5);
    expect(upstream.requests).toHaveLength(1);
  });

  it("sends no request before start(), nor if it is started after close()", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream);
    await client.close();
    client.start();
    await expect(client.synchronized()).rejects.toThrow("closed");
    expect(upstream.requests).toEqual([]);
  });

  it("synchronized() resolves immediately if the client is synchronized, even after close()", async () => {
    const client = await startClient(await startUpstream());
    await client.close();
    await expect(client.synchronized()).resolves.toBeUndefined();
  });

  it("close() can be called twice, stops polling and keeps the flags", async () => {
    const upstream = await startUpstream();
    const client = await startClient(upstream);
    await Promise.all([client.close(), client.close()]);
    await client.close();
    const { length } = upstream.requests;
    upstream.features(status(500));
    await waitForPolls(5);
    expect(upstream.requests).toHaveLength(length);
    expect(client.isEnabled("a")).toBe(true);
  });

  it.each<[string, Reply]>([
    ["has no response yet", hang],
    ["has an incomplete response", hangInBody],
  ])("close() aborts a request that %s, without an error", async (_name, reply) => {
    const upstream = await startUpstream();
    upstream.features(reply);
    // So long that this test would fail if close() waited for the request.
    const client = createClient(upstream, { timeoutMs: 600_000 });
    const messages = collectMessages(client);
    const requested = upstream.next();
    client.start();
    await requested;
    await client.close();
    expect(messages).toEqual([]);
  });

  it("close() while flags are compiled keeps the previous flags", async () => {
    const upstream = await startUpstream();
    upstream.features(hang);
    let onLastRead = (): void => undefined;
    const lastRead = new Promise<void>((resolve) => {
      onLastRead = resolve;
    });
    const last = {
      ...flag("last"),
      /** Read after all the flags before it. */
      get type(): string {
        onLastRead();
        return "release";
      },
    };
    const features = [...Array.from({ length: 5000 }, (_, index) => flag(`flag ${index}`)), last];
    const storageProvider = { get: async () => ({ features }), set: async () => undefined };
    const client = createClient(upstream, { storageProvider });
    const messages = collectMessages(client);
    client.on("changed", () => messages.push("changed"));
    client.start();
    await lastRead;
    await client.close();
    for (let tick = 0; tick < 200; tick += 1) await nextTick();
    expect(client.snapshot).toBeUndefined();
    expect(messages).toEqual([]);
  });

  it("can be disposed asynchronously, as by `await using`", async () => {
    const client = createClient(await startUpstream());
    await client[Symbol.asyncDispose]();
    await expect(client.synchronized()).rejects.toThrow("closed");
  });

  it("beforeChange() adds a hook that runs on each snapshot before it replaces the previous one", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream);
    const log: string[] = [];
    const removeHook = client.beforeChange(function* (snapshot, previous) {
      log.push(`hook for ${snapshot.flags.length}, after ${previous?.flags.length}`);
      yield;
      log.push(`current: ${client.snapshot?.flags.length}`);
    });
    client.on("changed", ({ flags }) => log.push(`changed to ${flags.length}`));
    client.start();
    await client.synchronized();
    await flagsAfter(client, () => upstream.features(serve(documentOf(flag("a"), flag("b")))));
    const first = ["hook for 1, after undefined", "current: undefined", "changed to 1"];
    expect(log.splice(0)).toEqual([...first, "hook for 2, after 1", "current: 1", "changed to 2"]);

    removeHook();
    await flagsAfter(client, () => upstream.features(serve(documentOf(flag("c")))));
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
  it("does not crash because of errors without a listener, and says what is wrong", async () => {
    const upstream = await startUpstream();
    upstream.features(status(401));
    const script = `const keepAlive = setInterval(() => {}, 1000);
      let failures = 0;
      client.on("failure", () => {
        failures += 1;
        if (failures < 2) return;
        clearInterval(keepAlive);
        client.close();
      });
      client.start();`;
    const { stderr } = await runScript(upstream.url, script);
    expect(stderr).toMatch(/^\(node:\d+\) .*Fetching flags failed: .* responded with 401: /);
    expect(upstream.requests.length).toBeGreaterThan(1);
  });

  it("is not kept alive by the timers of a client", async () => {
    const upstream = await startUpstream();
    await runScript(upstream.url, "client.start(); await client.synchronized();");
    expect(upstream.requests.length).toBeLessThan(5);
  });

  it("exits after close()", async () => {
    const upstream = await startUpstream();
    const script = `client.start(); await client.synchronized();
      client.isEnabled("a"); await client.close(); console.log("closed");`;
    const { stdout, stderr } = await runScript(upstream.url, script);
    expect([stdout, stderr]).toEqual(["closed\n", ""]);
    expect(upstream.seen("/api/client/metrics")).toHaveLength(1);
  });
});
