import type { FlagSource } from "../../upstream/flag-source.ts";
import type { ProxyConfig } from "../../config/config.ts";
import type { Protocol } from "../../core/routes/protocol.ts";
import {
  type EventStream,
  type HubStream,
  repeat,
  StreamHub,
  type StreamHubOptions,
} from "flags-server-kit/http";
import { matchesEntityTag } from "flags-server-kit/neutral";
import type { Registry } from "prom-client";
import type { Grant } from "../../core/access/grant.ts";
import { unavailable } from "../../core/http/errors.ts";
import type { ClientStreams, StreamRequest } from "../../core/streaming/client-streams.ts";
import { StreamTokens } from "../../core/streaming/stream-tokens.ts";
import { type FlagStreamMetrics, observeFlagStreams } from "../../metrics/stream-metrics.ts";
import { type EventFormat, type FlagEvent, FlagEvents } from "./flag-events.ts";
import { CHARACTER_BYTES, type Subscription } from "../../core/streaming/subscription.ts";

export class FlagStream implements HubStream {
  readonly key: string;
  readonly grant: Grant;
  readonly events: EventStream;
  /** When the signature of the context expires, epoch milliseconds. @default never */
  readonly expiresAtMs: number | undefined;
  readonly #storedText: string;
  /** The last event of the client once it has read everything that was sent. */
  #lastEventId: string | undefined;

  constructor({ grant, storedText, lastEventId }: StreamRequest, events: EventStream) {
    this.grant = grant;
    this.key = grant.key;
    this.events = events;
    this.#storedText = storedText;
    this.expiresAtMs = this.subscription().expiresAtMs;
    this.#lastEventId = lastEventId;
  }

  get bytes(): number {
    return CHARACTER_BYTES * this.#storedText.length;
  }

  subscription(): Subscription {
    return JSON.parse(this.#storedText) as Subscription;
  }

  /**
   * Sends an event unless the client has it already, and returns whether it was sent. A client that
   * reads too slowly receives nothing more until it has caught up, and then the current event.
   */
  send(event: FlagEvent): boolean {
    if (this.events.blockedSinceMs !== undefined) return false;
    const isKnown = matchesEntityTag(this.#lastEventId, event.id);
    this.#lastEventId = event.id;
    if (!isKnown) this.events.write(event.bytes);
    return !isKnown;
  }
}

export interface FlagStreamsOptions extends Pick<
  StreamHubOptions<FlagStream>,
  "limits" | "maxAgeMs" | "keepAliveMs" | "stallMs"
> {
  /** How often rules that depend on the time, and custom strategies, are evaluated again. @default 10000 */
  readonly clockIntervalMs?: number;
}

interface FlagStreamsDependencies {
  readonly sources: readonly FlagSource[];
  readonly events: FlagEvents;
  readonly tokens: StreamTokens;
  readonly registry: Registry;
}

/** Clients that lose their stream at the same time reconnect at this rate at most. */
const RECONNECTS_PER_MS = 1;
const MIN_RECONNECT_MS = 1000;
const MIN_SPREAD_MS = 4000;

const EXPIRY_CHECK_INTERVAL_MS = 1000;

export class FlagStreams extends StreamHub<FlagStream> implements ClientStreams {
  readonly tokens: StreamTokens;
  readonly #sources: readonly FlagSource[];
  readonly #events: FlagEvents;
  readonly #metrics: FlagStreamMetrics;
  readonly #stopFollowing: readonly (() => void)[];

  constructor(
    { clockIntervalMs = 10_000, ...options }: FlagStreamsOptions,
    { sources, events, tokens, registry }: FlagStreamsDependencies,
  ) {
    super({
      ...options,
      update: (stream) => this.#send(stream),
      reconnectDelayMs: randomReconnectDelayMs,
    });
    this.tokens = tokens;
    this.#sources = sources;
    this.#events = events;
    this.#metrics = observeFlagStreams(registry, this);
    this.#stopFollowing = [
      repeat(() => this.#reevaluate(), clockIntervalMs),
      repeat(() => this.#endExpired(), EXPIRY_CHECK_INTERVAL_MS),
      ...sources.map((source) => this.#follow(source)),
    ];
  }

  checkCapacity(clientKey: string, bytes: number): void {
    if (!this.isClosed && this.hasCapacity(clientKey, bytes)) return;
    this.#metrics.refused.inc();
    throw unavailable(
      "The proxy cannot open another stream now: poll for flags in the meantime, and try again later",
      Math.ceil(this.reconnectDelayMs() / 1000),
    );
  }

  opener(request: StreamRequest): (events: EventStream) => void {
    return (events) => {
      const stream = new FlagStream(request, events);
      this.add(stream);
      this.#metrics.opened.inc();
      events.retryAfter(this.reconnectDelayMs());
      this.#send(stream);
    };
  }

  endUnless(isAllowed: (grant: Grant) => boolean): void {
    this.endIf(({ grant }) => !isAllowed(grant), "revoked");
  }

  override close(): void {
    for (const stop of this.#stopFollowing) stop();
    super.close();
  }

  #follow(source: FlagSource): () => void {
    const onChanged = (): void => this.#updateAll(source);
    source.on("changed", onChanged);
    return () => void source.off("changed", onChanged);
  }

  /** Evaluates rules again whose results may change although no flag has changed. */
  #reevaluate(): void {
    for (const source of this.#sources) {
      const { readsClock, callsCustomStrategy } = source.snapshot?.contextDependencies ?? {};
      if (readsClock === true || callsCustomStrategy === true) this.#updateAll(source);
    }
  }

  #updateAll(source: FlagSource): void {
    this.#events.clear();
    this.update(this.streams().filter(({ grant }) => grant.flags.source.flags === source));
  }

  #endExpired(): void {
    const nowMs = Date.now();
    this.endIf(({ expiresAtMs = Infinity }) => nowMs >= expiresAtMs, "signature_expired");
  }

  /** NOTE: reads the snapshot only now, so that an older event never follows a newer one. */
  #send(stream: FlagStream): void {
    const { snapshot } = stream.grant.flags;
    if (snapshot === undefined) return;
    if (stream.send(this.#events.get(snapshot, stream.subscription()))) this.#metrics.events.inc();
  }
}

function randomReconnectDelayMs(openStreams: number): number {
  const spreadMs = Math.max(MIN_SPREAD_MS, openStreams / RECONNECTS_PER_MS);
  return MIN_RECONNECT_MS + Math.random() * spreadMs;
}

interface StreamsDependencies {
  readonly sources: readonly FlagSource[];
  readonly protocols: readonly Protocol[];
  readonly registry: Registry;
  readonly maxStreams: number;
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
