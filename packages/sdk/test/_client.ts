import { afterEach } from "vitest";
import { createFlagsClient } from "flags-sdk";
import type { FlagsClient, FlagsClientEvents, FlagsClientOptions } from "flags-sdk";
import { Upstream } from "./_upstream.ts";
import type { Tls } from "./_upstream.ts";

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((resource) => resource.close()));
});

/** Starts an upstream that is closed after the test. */
export async function startUpstream(tls?: Tls): Promise<Upstream> {
  const upstream = await Upstream.start(tls);
  opened.push(upstream);
  return upstream;
}

/** Makes a client that is closed after the test; it reports no usage unless told to. */
export function createClient(
  upstream: Pick<Upstream, "url">,
  options: Partial<FlagsClientOptions> = {},
): FlagsClient {
  const client = createFlagsClient({
    url: upstream.url,
    appName: "app",
    refreshIntervalMs: 10,
    metricsIntervalMs: 0,
    ...options,
  });
  opened.push(client);
  return client;
}

/** Makes a client, starts it, and waits for its first data. */
export async function startClient(
  upstream: Pick<Upstream, "url">,
  options: Partial<FlagsClientOptions> = {},
): Promise<FlagsClient> {
  const client = createClient(upstream, options);
  client.start();
  await client.synchronized();
  return client;
}

/** The details of the next event of a kind. */
export function nextEvent<Event extends keyof FlagsClientEvents>(
  client: FlagsClient,
  event: Event,
): Promise<Parameters<FlagsClientEvents[Event]>> {
  return new Promise((resolve) => {
    const listener = ((...details: Parameters<FlagsClientEvents[Event]>) => {
      client.off(event, listener);
      resolve(details);
    }) as FlagsClientEvents[Event];
    client.on(event, listener);
  });
}

/** Collects what a client tells, as `event: message`. */
export function collectFaults(client: FlagsClient): string[] {
  const told: string[] = [];
  client.on("error", (error) => told.push(`error: ${error.message}`));
  client.on("warn", (message) => told.push(`warn: ${message}`));
  return told;
}

export const flagNames = (client: FlagsClient): readonly string[] =>
  (client.snapshot?.flags ?? []).map(({ name }) => name);
