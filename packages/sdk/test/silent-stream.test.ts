import { complete } from "flags-engine";
import { describe, expect, it, onTestFinished } from "vitest";
import { SlicedWork } from "../src/schedule/sliced-work.ts";
import { FlagState } from "../src/sync/flag-state.ts";
import { compile } from "../src/sync/compile.ts";
import { Streaming } from "../src/sync/streaming.ts";
import { createConnections } from "../src/transport/connections.ts";
import { HttpClient } from "../src/transport/http-client.ts";
import { UpstreamApi } from "../src/transport/upstream-api.ts";
import type { UpstreamError } from "../src/transport/upstream-error.ts";
import { startUpstream } from "./_client.ts";
import { connected, hydration, lastEventIds, OpenStreams, STREAMING } from "./_event-stream.ts";
import { flag } from "./_upstream.ts";
import type { Upstream } from "./_upstream.ts";

const ignore = (): void => undefined;

/** What a client makes to listen, with a limit to silence that a test can wait for. */
function startListening(upstream: Upstream, maxSilenceMs: number) {
  const direct = { httpProxy: "", httpsProxy: "", noProxy: "" };
  const connections = createConnections({
    timeoutMs: 5000,
    rejectUnauthorized: true,
    ca: undefined,
    ...direct,
  });
  const http = new HttpClient({ connections, timeoutMs: 5000 });
  const work = new SlicedWork();
  const api = new UpstreamApi({
    http,
    work,
    url: new URL(`${upstream.url}/`),
    identity: { appName: "app", instanceId: "i", connectionId: "c" },
    filters: { projectName: undefined, namePrefix: undefined, tags: [] },
    refreshIntervalMs: 10,
    metricsIntervalMs: 0,
    credentials: async () => ({}),
    now: Date.now,
    maxSilenceMs,
  });
  const options = { strategies: [], now: Date.now, random: Math.random };
  const state = new FlagState({
    bootstrapOverrides: true,
    compile: (checked, former) =>
      compile(checked, { ...options, former, onStrategyError: ignore, warn: ignore }),
  });
  const failures: UpstreamError[] = [];
  const streaming = new Streaming({
    api,
    sink: {
      accept: async (document) => void complete(state.accept(document, "upstream")),
      unchanged: ignore,
    },
    onFailure: (error) => failures.push(error),
    isInForce: () => true,
    intervalMs: 10,
    faults: { error: ignore, warn: ignore, failure: ignore },
    random: Math.random,
  });
  streaming.start();
  onTestFinished(async () => {
    await streaming.stop();
    await http.close();
  });
  return { state, failures };
}

describe("Streaming", () => {
  it("opens a stream again that is silent for too long, and goes on where it was", async () => {
    const upstream = await startUpstream();
    const streams = new OpenStreams(connected(7, hydration(flag("a"))));
    upstream.script(STREAMING, streams.reply);
    upstream.reply(STREAMING, new OpenStreams(connected(8)).reply);
    const { state, failures } = startListening(upstream, 150);
    await upstream.nextOf(2, STREAMING);
    expect(lastEventIds(upstream.seen(STREAMING)).slice(0, 2)).toEqual([undefined, "7"]);
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ["TIMEOUT", expect.stringContaining("Nothing received for 150 ms")],
    ]);
    expect(state.snapshot?.flags.map(({ name }) => name)).toEqual(["a"]);
    await expect.poll(() => streams.size).toBe(0);
  });

  it("keeps a stream open that only shows that it is there", async () => {
    const upstream = await startUpstream();
    const streams = new OpenStreams(connected(7, hydration(flag("a"))));
    upstream.reply(STREAMING, streams.reply);
    const { failures } = startListening(upstream, 300);
    await upstream.next(STREAMING);
    let signs = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        signs += 1;
        streams.write(":\n\n");
        if (signs < 12) return;
        clearInterval(timer);
        resolve();
      }, 50);
    });
    expect(failures).toEqual([]);
    expect(upstream.seen(STREAMING)).toHaveLength(1);
  });
});
