import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { TimeSlicer } from "../src/scheduling/time-slicer.ts";
import { Streaming } from "../src/sync/streaming.ts";
import { UpstreamApi } from "../src/transport/upstream-api.ts";
import type { UpstreamError } from "../src/transport/upstream-error.ts";
import { createHttp, startUpstream } from "./_client.ts";
import { connected, hydration, lastEventIds, OpenStreams, STREAMING } from "./_event-stream.ts";
import { flag } from "./_upstream.ts";
import type { Upstream } from "./_upstream.ts";

const ignore = (): void => undefined;

/** Starts streaming like a client, but with a limit on silence that is short enough for a test. */
function startStreaming(upstream: Upstream, maxSilenceMs: number) {
  const api = new UpstreamApi({
    http: createHttp(),
    slicer: new TimeSlicer(),
    url: new URL(`${upstream.url}/`),
    identity: { appName: "app", instanceId: "i", connectionId: "c" },
    filters: { projectName: undefined, namePrefix: undefined, tags: [] },
    refreshIntervalMs: 10,
    metricsIntervalMs: 0,
    credentials: { token: undefined, customHeaders: {}, customHeadersFunction: undefined },
    maxSilenceMs,
  });
  const documents: unknown[] = [];
  const failures: UpstreamError[] = [];
  const streaming = new Streaming({
    api,
    sink: { accept: async (document) => void documents.push(document), unchanged: ignore },
    onFailure: (error) => failures.push(error),
    isCurrent: () => true,
    intervalMs: 10,
    events: { error: ignore, warn: ignore, failure: ignore },
    onLive: ignore,
  });
  streaming.start();
  onTestFinished(() => streaming.stop());
  return { documents, failures };
}

describe("Streaming", () => {
  it("reconnects if a stream is silent for too long, and resumes after the last event", async () => {
    const upstream = await startUpstream();
    const streams = new OpenStreams(connected(7, hydration(flag("a"))));
    upstream.script(STREAMING, streams.reply);
    upstream.reply(STREAMING, new OpenStreams(connected(8)).reply);
    const { documents, failures } = startStreaming(upstream, 1000);
    await upstream.nextOf(2, STREAMING);
    expect(lastEventIds(upstream.seen(STREAMING)).slice(0, 2)).toEqual([undefined, "7"]);
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ["TIMEOUT", expect.stringContaining("Nothing received for 1000 ms")],
    ]);
    expect(documents).toEqual([{ version: 2, features: [flag("a")], segments: [] }]);
    await expect.poll(() => streams.size).toBe(0);
  });

  it("stays connected while the stream sends keep-alives", async () => {
    const upstream = await startUpstream();
    const streams = new OpenStreams(connected(7, hydration(flag("a"))));
    upstream.reply(STREAMING, streams.reply);
    const { failures } = startStreaming(upstream, 2000);
    await upstream.next(STREAMING);
    // For longer than the limit on silence, in steps that are far shorter, even on a busy machine.
    for (let count = 0; count < 50; count += 1) {
      await delay(50);
      streams.write(":\n\n");
    }
    expect(failures).toEqual([]);
    expect(upstream.seen(STREAMING)).toHaveLength(1);
  });
});
