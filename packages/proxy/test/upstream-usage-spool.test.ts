import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FlagsClientOptions, MetricsBody } from "flags-sdk";
import type { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { collectMessages, createSource, startUpstream } from "./_upstream-source.ts";
import { documentOf, flag, serve, status } from "../../sdk/test/_upstream.ts";
import type { Reply, Upstream } from "../../sdk/test/_upstream.ts";

const PATH = "/api/client/metrics";

/** Counts the received `yes` by application. */
function countInto(received: Record<string, number>): Reply {
  return (response, request) => {
    const { appName, bucket } = JSON.parse(request.body) as MetricsBody;
    const yes = Object.values(bucket.toggles).reduce((sum, counts) => sum + counts.yes, 0);
    received[appName] = (received[appName] ?? 0) + yes;
    status(202)(response, request);
  };
}

interface Setup {
  readonly upstream: Upstream;
  readonly received: Readonly<Record<string, number>>;
  readonly directory: string;
  readonly start: (more?: Partial<FlagsClientOptions>) => UpstreamSource;
}

async function setUp(): Promise<Setup> {
  const directory = await mkdtemp(join(tmpdir(), "flags-source-"));
  // On a busy machine, close() does not wait for the last write to the spool.
  onTestFinished(() => rm(directory, { recursive: true, maxRetries: 20 }));
  const upstream = await startUpstream();
  const received: Record<string, number> = {};
  upstream.features(serve(documentOf(flag("a"))));
  upstream.reply(PATH, countInto(received));
  const start = (more: Partial<FlagsClientOptions> = {}): UpstreamSource => {
    // It is closed before the folder is deleted.
    const source = createSource(
      upstream,
      { metricsIntervalMs: 20, disableRegistration: true, ...more },
      { usageSpool: { directory, maxBytes: 128 * 1024 * 1024 } },
    );
    source.start();
    return source;
  };
  return { upstream, received, directory, start };
}

const report = (source: UpstreamSource, appName: string) =>
  source.reportUsage({ appName, startMs: Date.now(), features: { a: { yes: 1, no: 0 } } });

describe("a source with a spool", () => {
  const hang: Reply = () => {};
  it.each<readonly [string, Reply]>([
    ["400", status(400)],
    ["413", status(413)],
    ["429", status(429, { "retry-after": "1" })],
    ["503", status(503)],
    ["a hang", hang],
  ])(
    "delivers usage once although the upstream responds with %s at first",
    async (_title, reply) => {
      const { upstream, received, directory, start } = await setUp();
      upstream.script(PATH, reply, reply);
      // Only if it is needed: a report is counted twice if the upstream accepts it later than that.
      const source = start(reply === hang ? { timeoutMs: 1000 } : {});
      expect(await report(source, "web")).toBe(true);
      expect(await report(source, "web")).toBe(true);
      await expect.poll(() => received["web"]).toBe(2);
      await source.close();
      expect(received).toEqual({ web: 2 });
      // A slow disk does not delay the end of a source for long.
      const filesIn = async (): Promise<readonly string[]> =>
        (await readdir(directory)).filter((name) => !name.startsWith("lock."));
      await expect.poll(filesIn).toEqual([]);
    },
  );

  it("a source leaves undelivered usage to the next one", async () => {
    const { upstream, received, start } = await setUp();
    upstream.script(PATH, status(503, { "retry-after": "60" }));
    const first = start({ metricsIntervalMs: 60_000 });
    const messages = collectMessages(first);
    await report(first, "web");
    await first.close();
    expect(messages.at(-1)).toBe(
      "warn: Usage of 1 application was not delivered; the next start will deliver it from the spool",
    );
    const second = start({ metricsIntervalMs: 60_000 });
    // Without waiting for the interval.
    await expect.poll(() => received).toEqual({ web: 1 });
    await expect
      .poll(() => second.usageSpool)
      .toMatchObject({ restoredApplications: 1, isWritable: true });
    await second.close();
    expect(received).toEqual({ web: 1 });
  });

  it("a source accepts usage before it has opened the spool", async () => {
    const { upstream, received, start } = await setUp();
    upstream.script(PATH, status(503, { "retry-after": "60" }));
    const first = start({ metricsIntervalMs: 60_000 });
    expect(await report(first, "web")).toBe(true);
    await first.close();
    start();
    await expect.poll(() => received).toEqual({ web: 1 });
  });

  it.each([
    ["while it opens its spool", false],
    ["when its spool is open", true],
  ])("writes all of many large reports that arrive at the same time, %s", async (_when, isOpen) => {
    const { start } = await setUp();
    const source = start({ metricsIntervalMs: 60_000 });
    if (isOpen) await expect.poll(() => source.usageSpool?.isWritable).toBe(true);
    const rangeOf = (length: number) => Array.from({ length }, (_, index) => index);
    const variants = Object.fromEntries(
      rangeOf(100).map((index) => [`${"v".repeat(50)}${index}`, 1]),
    );
    const features = Object.fromEntries(
      rangeOf(30).map((index) => [`flag-${index}`, { yes: 1, no: 0, variants }]),
    );
    // More in total than may wait to be written.
    const count = Math.ceil((18 * 1024 * 1024) / JSON.stringify(features).length);
    const reports = rangeOf(count).map(async () =>
      source.reportUsage({ appName: "web", startMs: 0, features }),
    );
    expect(new Set(await Promise.all(reports))).toEqual(new Set([true]));
    expect(source.usageSpool).toMatchObject({ isWritable: true, written: count, unwritten: 0 });
  });

  it("does not report after close()", async () => {
    const { start } = await setUp();
    const source = start();
    await source.close();
    expect(await report(source, "web")).toBe(false);
  });
});
