import type { Registry } from "prom-client";
import { streamsWithin } from "flags-server-kit";
import type { KeyRegistry } from "../access/key-registry.ts";
import type { ProxyConfig } from "../config/config.ts";
import { createMessageForms, type Renderers } from "./message-forms.ts";
import { PushHub } from "./stream-hub.ts";
import { SharedEvents } from "./shared-events.ts";
import { StreamTokens } from "./stream-tokens.ts";

interface PushDependencies {
  readonly ring: KeyRegistry;
  /** The renderer of each kind of message. */
  readonly renderers: Renderers;
  readonly registry: Registry;
  /** Memory for the cached events of each source. @default 32 MiB */
  readonly cacheBytes?: number | undefined;
}

/** What streams to clients need. */
export interface Push {
  readonly hub: PushHub;
  readonly tokens: StreamTokens;
}

/** Creates what serves streams, as configured. */
export function createPush(
  {
    push,
    maxConnections,
    upstreamToken,
    clientKeys,
  }: Pick<ProxyConfig, "push" | "maxConnections" | "upstreamToken" | "clientKeys">,
  { ring, renderers, registry, cacheBytes }: PushDependencies,
): Push {
  const forms = createMessageForms(renderers);
  const events = new Map(
    ring.sources.map((source) => [source, new SharedEvents(forms, cacheBytes)]),
  );
  const { maxStreamsPerKey, maxContextBytes } = push;
  const maxStreams = streamsWithin(maxConnections, push.maxStreams);
  return {
    hub: new PushHub(
      {
        maxStreams,
        maxStreamsPerKey: maxStreamsPerKey ?? defaultPerKey(maxStreams, clientKeys.length),
        maxContextBytes,
        maxAgeMs: push.maxAgeSeconds * 1000,
      },
      { events, registry },
    ),
    tokens: new StreamTokens({ secret: push.secret ?? upstreamToken, clientKeys }),
  };
}

/** With several keys, one of them gets at most half, so that the others always have the rest. */
function defaultPerKey(maxStreams: number, keyCount: number): number {
  return keyCount > 1 ? Math.ceil(maxStreams / 2) : maxStreams;
}
