import { streamsWithin } from "flags-server-kit";
import type { Registry } from "prom-client";
import type { FlagSource } from "flags-sdk";
import type { ProxyConfig } from "../config/config.ts";
import { FlagEvents, type EventRenderers } from "./flag-events.ts";
import { FlagStreams } from "./flag-streams.ts";
import { StreamTokens } from "./stream-tokens.ts";

interface StreamsDependencies {
  readonly flagSources: readonly FlagSource[];
  readonly renderers: EventRenderers;
  readonly registry: Registry;
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
    maxConnections,
    upstreamTokens,
    clientKeys,
  }: Pick<ProxyConfig, "push" | "maxConnections" | "upstreamTokens" | "clientKeys">,
  { flagSources, renderers, registry, cacheBytes }: StreamsDependencies,
): ClientStreams {
  const events = new Map(
    flagSources.map((source) => [source, new FlagEvents(renderers, cacheBytes)]),
  );
  const maxStreams = streamsWithin(maxConnections, push.maxStreams);
  const limits = {
    maxStreams,
    maxStreamsPerKey: push.maxStreamsPerKey ?? defaultPerKey(maxStreams, clientKeys.length),
    maxBytes: push.maxContextBytes,
  };
  return {
    streams: new FlagStreams({ limits, maxAgeMs: push.maxAgeSeconds * 1000 }, { events, registry }),
    tokens: new StreamTokens({ secret: push.secret ?? upstreamTokens.join(), clientKeys }),
  };
}

/** With several keys, each gets at most half of the streams, so that the others can use the rest. */
function defaultPerKey(maxStreams: number, keyCount: number): number {
  return keyCount > 1 ? Math.ceil(maxStreams / 2) : maxStreams;
}
