import type { Registry } from "prom-client";
import type { FlagSource } from "../upstream/flag-source.ts";
import type { KeyRegistry } from "../access/key-registry.ts";
import type { ProxyConfig } from "../config/config.ts";
import { type EventFormat, FlagEvents } from "./flag-events.ts";
import { FlagStreams } from "./flag-streams.ts";
import { StreamTokens } from "./stream-tokens.ts";

interface StreamsDependencies {
  readonly flagSources: readonly FlagSource[];
  /** How flags are sent, by kind of event. */
  readonly formats: ReadonlyMap<string, EventFormat>;
  readonly registry: Registry;
  /** Maximum number of streams, which leaves connections for everything else. */
  readonly maxStreams: number;
  readonly keys: Pick<KeyRegistry, "clientIds">;
  /** Memory for the cached events of each source. @default 32 MiB */
  readonly cacheBytes?: number | undefined;
}

/** The open streams to clients, and the tokens with which clients open them. */
export interface ClientStreams {
  readonly streams: FlagStreams;
  readonly tokens: StreamTokens;
}

/** Creates the streams to clients as configured. */
export function createClientStreams(
  {
    push,
    upstreamTokens,
    accessFile,
    upstreamKeys,
  }: Pick<ProxyConfig, "push" | "upstreamTokens" | "accessFile" | "upstreamKeys">,
  { flagSources, formats, registry, maxStreams, keys, cacheBytes }: StreamsDependencies,
): ClientStreams {
  const events = new Map(
    flagSources.map((source) => [source, new FlagEvents(formats, cacheBytes)]),
  );
  // NOTE: keys can be added to an access file later, and the upstream can verify more of them.
  const canChange = accessFile !== undefined || upstreamKeys !== undefined;
  const hasSeveralKeys = canChange || keys.clientIds.length > 1;
  const limits = {
    maxStreams,
    maxStreamsPerKey: push.maxStreamsPerKey ?? defaultPerKey(maxStreams, hasSeveralKeys),
    maxBytes: push.maxContextBytes,
  };
  return {
    streams: new FlagStreams({ limits, maxAgeMs: push.maxAgeSeconds * 1000 }, { events, registry }),
    tokens: new StreamTokens({
      secret: push.secret ?? upstreamTokens.join(),
      clientIds: () => keys.clientIds,
    }),
  };
}

/** With several keys, each gets at most half of the streams, so that the others can use the rest. */
function defaultPerKey(maxStreams: number, hasSeveralKeys: boolean): number {
  return hasSeveralKeys ? Math.ceil(maxStreams / 2) : maxStreams;
}
