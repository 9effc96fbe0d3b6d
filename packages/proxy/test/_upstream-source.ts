import type { FlagsClientEvents, FlagsClientOptions } from "flags-sdk";
import { onTestFinished } from "vitest";
import { Upstream } from "../../sdk/test/_upstream.ts";
import { UpstreamSource } from "../src/upstream/upstream-source.ts";

type SourceOptions = ConstructorParameters<typeof UpstreamSource>[1];

/** Starts an upstream that is closed after the test. */
export async function startUpstream(): Promise<Upstream> {
  const upstream = await Upstream.start();
  onTestFinished(() => upstream.close());
  return upstream;
}

/** Creates a source that is closed after the test. */
export function createSource(
  { url }: Pick<Upstream, "url">,
  options: Partial<FlagsClientOptions> = {},
  more: SourceOptions = {},
): UpstreamSource {
  const source = new UpstreamSource(
    { url, appName: "app", refreshIntervalMs: 10_000, ...options },
    more,
  );
  onTestFinished(() => source.close());
  return source;
}

/** Creates and starts a source; resolves when it has flags of its upstream. */
export async function startSource(
  ...parameters: Parameters<typeof createSource>
): Promise<UpstreamSource> {
  const source = createSource(...parameters);
  await synchronized(source);
  return source;
}

/** Starts a source; resolves when it has flags of its upstream. */
export async function synchronized(source: UpstreamSource): Promise<void> {
  const first = nextEvent(source, "synchronized");
  source.start();
  await first;
}

/** Resolves to the parameters of the next event of a kind. */
export function nextEvent<Event extends keyof FlagsClientEvents>(
  source: Pick<UpstreamSource, "on" | "off">,
  event: Event,
): Promise<Parameters<FlagsClientEvents[Event]>> {
  return new Promise((resolve) => {
    const listener = ((...details: Parameters<FlagsClientEvents[Event]>) => {
      source.off(event, listener);
      resolve(details);
    }) as FlagsClientEvents[Event];
    source.on(event, listener);
  });
}

/** Resolves to the parameters of the next event of dropped data. */
export function nextDrop(source: UpstreamSource): Promise<readonly [kind: string, count: number]> {
  return new Promise((resolve) => {
    source.events.on("usageDropped", (kind, count) => resolve([kind, count]));
  });
}

/** Collects errors and warnings of a source, as `event: message`. */
export function collectMessages(source: UpstreamSource): string[] {
  const messages: string[] = [];
  source.on("error", (error) => messages.push(`error: ${error.message}`));
  source.on("warn", (message) => messages.push(`warn: ${message}`));
  return messages;
}
