import { describe, expect, it } from "vitest";
import type { Synchronization } from "flags-sdk";
import {
  collectMessages,
  createClient,
  flagNames,
  flagsAfter,
  nextEvent,
  startClient,
  startUpstream,
} from "./_client.ts";
import { connected, DELTA, hydration, streamOf, STREAMING } from "./_event-stream.ts";
import { documentOf, FEATURES, flag, json, serve, status } from "./_upstream.ts";
import type { Upstream } from "./_upstream.ts";

const REGISTER = "/api/client/register";
const METRICS = "/api/client/metrics";

const redirectTo = (origin: string, path: string) => status(307, { location: `${origin}${path}` });

const rejection = (from: Upstream, path: string, to: Upstream): string =>
  `${from.origin}${path} redirects to another origin, ${to.origin}: only redirects within ${from.origin} are followed`;

/** Starts an upstream that sends the flag `foreign` at every endpoint, and accepts usage. */
async function startForeign(): Promise<Upstream> {
  const foreign = await startUpstream();
  const flags = hydration(flag("foreign"));
  foreign.features(serve(documentOf(flag("foreign"))));
  foreign.reply(DELTA, json({ events: [flags] }));
  foreign.reply(STREAMING, streamOf(connected(1, flags)));
  return foreign;
}

describe("a redirect to another origin", () => {
  it.each<[Synchronization, string]>([
    ["polling", FEATURES],
    ["delta", DELTA],
    ["streaming", STREAMING],
  ])(
    "a redirect to another origin does not change the flags with %s, and is retried with backoff",
    async (mode, path) => {
      const [upstream, foreign] = [await startUpstream(), await startForeign()];
      const client = await startClient(upstream);
      await client.close();
      upstream.reply(path, redirectTo(foreign.origin, path));
      const redirected = createClient(upstream, {
        synchronization: mode,
        token: "top-secret",
        bootstrap: { data: [flag("last-good")] },
      });
      const messages = collectMessages(redirected);
      const retried = upstream.nextOf(3, path);
      redirected.start();
      await retried;
      expect(foreign.requests).toEqual([]);
      expect(flagNames(redirected)).toEqual([mode === "polling" ? "last-good" : "a"]);
      expect(messages).toEqual([expect.stringContaining(rejection(upstream, path, foreign))]);
      expect(messages[0]).toMatch(
        /^error: .*change the URL of the upstream \(FLAGS_URL or the option flagsUrl;/,
      );
    },
  );

  it("a redirect to another origin does not affect the last good flags, and the client recovers", async () => {
    const [upstream, foreign] = [await startUpstream(), await startForeign()];
    const client = await startClient(upstream);
    const failed = nextEvent(client, "failure");
    upstream.features(redirectTo(foreign.origin, FEATURES));
    expect((await failed)[0]).toMatchObject({ code: "REDIRECT" });
    expect(flagNames(client)).toEqual(["a"]);
    const recover = (): void => upstream.features(serve(documentOf(flag("b"))));
    expect(await flagsAfter(client, recover)).toEqual(["b"]);
    expect(foreign.requests).toEqual([]);
  });

  it("another origin receives neither registration nor usage, which is sent when the upstream is back", async () => {
    const [upstream, foreign] = [await startUpstream(), await startForeign()];
    upstream.reply(REGISTER, redirectTo(foreign.origin, REGISTER));
    upstream.reply(METRICS, redirectTo(foreign.origin, METRICS));
    const client = createClient(upstream, { metricsIntervalMs: 20 });
    const messages = collectMessages(client);
    const rejected = upstream.nextOf(2, METRICS);
    client.start();
    await client.synchronized();
    client.isEnabled("a");
    await rejected;
    expect(messages.toSorted()).toEqual([
      expect.stringContaining(rejection(upstream, REGISTER, foreign)),
      expect.stringContaining(rejection(upstream, METRICS, foreign)),
    ]);
    const sent = nextEvent(client, "sent");
    upstream.reply(METRICS, status(202));
    expect((await sent)[0].bucket.toggles).toMatchObject({ a: { yes: 1 } });
    expect(foreign.requests).toEqual([]);
  });

  it("a redirect of a bootstrap to another origin is rejected", async () => {
    const [upstream, foreign] = [await startUpstream(), await startForeign()];
    const origin = await startUpstream();
    upstream.features(status(503));
    origin.reply("/flags.json", redirectTo(foreign.origin, FEATURES));
    const client = createClient(upstream, { bootstrap: { url: `${origin.origin}/flags.json` } });
    const failed = nextEvent(client, "error");
    client.start();
    const [{ message }] = await failed;
    expect(message).toContain(rejection(origin, "/flags.json", foreign));
    expect(message).toContain("EXP_BOOTSTRAP_URL");
    expect(foreign.requests).toEqual([]);
  });
});
