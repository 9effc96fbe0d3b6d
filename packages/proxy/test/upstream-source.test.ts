import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFlagsClient, type MetricsBody } from "flags-sdk";
import { expect, onTestFinished, test } from "vitest";
import { documentOf, flag, serve, status } from "../../sdk/test/_upstream.ts";
import { chooseSources } from "../src/start/choose-sources.ts";
import { closeSources, startSources } from "../src/sources/sources.ts";
import { proxyConfig } from "./_proxy.ts";
import { startUpstream } from "./_upstream-source.ts";

const METRICS = "/api/client/metrics";

/** Passes a client to a proxy; returns the sources of the proxy. */
async function startEmbedded(spool?: string) {
  const upstream = await startUpstream();
  upstream.features(serve(documentOf(flag("a"))));
  upstream.reply(METRICS, status(202));
  const client = createFlagsClient({
    url: upstream.url,
    appName: "shop",
    metricsIntervalMs: 60_000,
    disableRegistration: true,
  });
  onTestFinished(() => client.close());
  const usageSpool = { directory: spool, maxBytes: 16 * 1024 * 1024 };
  const { sources } = chooseSources(proxyConfig({ usageSpool }), client);
  await startSources(sources);
  await client.synchronized();
  const reports = (): readonly MetricsBody[] =>
    upstream.seen(METRICS).map(({ body }) => JSON.parse(body) as MetricsBody);
  const report = (): Promise<boolean | undefined> =>
    Promise.resolve(
      sources[0]?.flags.reportUsage({
        appName: "web",
        startMs: Date.now(),
        features: { a: { yes: 2, no: 1 } },
      }),
    );
  return { client, sources, reports, report };
}

test("the proxy delivers the usage of browsers when it closes, but leaves the client that was passed open", async () => {
  const { client, sources, reports, report } = await startEmbedded();
  expect(client.isEnabled("a")).toBe(true);
  expect(await report()).toBe(true);
  await closeSources(sources);
  expect(reports().map(({ appName }) => appName)).toEqual(["web"]);
  expect(client.isEnabled("a")).toBe(true);
  await client.close();
  expect(reports().map(({ appName, bucket }) => [appName, bucket.toggles["a"]?.yes])).toEqual([
    ["web", 2],
    ["shop", 2],
  ]);
});

test("the proxy delivers the usage of browsers even if the client is closed at the same time", async () => {
  const { client, sources, reports, report } = await startEmbedded();
  await report();
  await Promise.all([closeSources(sources), client.close()]);
  expect(reports().map(({ appName }) => appName)).toEqual(["web"]);
});

test("FLAGS_USAGE_SPOOL also applies to a client that was passed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "flags-embedded-"));
  onTestFinished(() => rm(directory, { recursive: true, maxRetries: 20 }));
  const { sources, report } = await startEmbedded(directory);
  expect(await report()).toBe(true);
  const [source = ""] = await readdir(directory);
  expect(await readdir(join(directory, source))).toContainEqual(expect.stringMatching(/^usage-/));
  await closeSources(sources);
});
