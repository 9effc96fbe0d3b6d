import type { Registry } from "prom-client";
import type { FlagSource } from "../../upstream/flag-source.ts";
import type { ProxyConfig } from "../../config/config.ts";
import type { Protocol } from "../../core/routes/protocol.ts";
import { StreamTokens } from "../../core/streaming/stream-tokens.ts";
import { type EventFormat, FlagEvents } from "./flag-events.ts";
import { FlagStreams } from "./flag-streams.ts";

interface StreamsDependencies {
  readonly sources: readonly FlagSource[];
  readonly protocols: readonly Protocol[];
  readonly registry: Registry;
  readonly maxStreams: number;
  /** Memory for the cached events. @default 32 MiB */
  readonly cacheBytes?: number | undefined;
}

export function createClientStreams(
  { push, upstreamTokens, clientKeys, accessFile, upstreamKeys }: ProxyConfig,
  { sources, protocols, registry, maxStreams, cacheBytes }: StreamsDependencies,
): FlagStreams {
  const events = new FlagEvents(createEventFormats(protocols), cacheBytes);
  // NOTE: keys can be added to an access file later, and the upstream can verify more of them.
  const canChange = accessFile !== undefined || upstreamKeys !== undefined;
  const hasSeveralKeys = canChange || clientKeys.length > 1;
  const limits = {
    maxStreams,
    maxStreamsPerKey: push.maxStreamsPerKey ?? defaultPerKey(maxStreams, hasSeveralKeys),
    maxBytes: push.maxContextBytes,
  };
  const tokens = new StreamTokens(push.secret ?? upstreamTokens.join());
  const maxAgeMs = push.maxAgeSeconds * 1000;
  return new FlagStreams({ limits, maxAgeMs }, { sources, events, tokens, registry });
}

function createEventFormats(protocols: readonly Protocol[]): ReadonlyMap<string, EventFormat> {
  return new Map(
    protocols.flatMap(({ render, definition: { streamEvents } }) =>
      streamEvents === undefined ? [] : [[streamEvents.kind, { ...streamEvents, render }] as const],
    ),
  );
}

/** With several keys, each gets at most half of the streams, so that the others can use the rest. */
function defaultPerKey(maxStreams: number, hasSeveralKeys: boolean): number {
  return hasSeveralKeys ? Math.ceil(maxStreams / 2) : maxStreams;
}
