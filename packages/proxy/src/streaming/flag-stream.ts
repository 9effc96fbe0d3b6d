import type { ContextDependencies } from "flags-engine";
import { type EventStream, type HubStream, matchesEntityTag } from "flags-server-kit/http";
import type { Grant } from "../access/grant.ts";
import type { GrantedSource } from "../access/restricted-source.ts";
import type { FlagEvent } from "./flag-events.ts";
import type { StoredSubscription, Subscription } from "./subscription.ts";

interface FlagStreamOptions {
  readonly grant: Grant;
  readonly subscription: StoredSubscription;
  readonly events: EventStream;
  /** The `Last-Event-ID` that the client sent. */
  readonly lastEventId: string | undefined;
}

/** A stream that sends a client its flags, and sends them again whenever they change. */
export class FlagStream implements HubStream {
  readonly key: string;
  /** The grant of the request that opened the stream. */
  readonly grant: Grant;
  readonly source: GrantedSource;
  readonly events: EventStream;
  /** When the signature of the context expires, epoch milliseconds. @default never */
  readonly expiresAtMs: number | undefined;
  readonly #subscription: StoredSubscription;
  /** The last event of the client once it has read everything that was sent. */
  #lastEventId: string | undefined;

  constructor({ grant, subscription, events, lastEventId }: FlagStreamOptions) {
    this.grant = grant;
    this.key = grant.key;
    this.source = grant.source;
    this.events = events;
    this.#subscription = subscription;
    this.expiresAtMs = subscription.load().expiresAtMs;
    this.#lastEventId = lastEventId;
  }

  /** Memory for the subscription. */
  get bytes(): number {
    return this.#subscription.bytes;
  }

  subscription(): Subscription {
    return this.#subscription.load();
  }

  /** Whether rules now read context fields that the stream did not store. */
  isOutdated(contextDependencies: ContextDependencies): boolean {
    return this.#subscription.isOutdated(contextDependencies);
  }

  /**
   * Sends an event unless the client has it already, and returns whether it was sent. A client that
   * reads too slowly receives nothing more until it has caught up, and then the current event.
   */
  send(event: FlagEvent): boolean {
    if (this.events.blockedSince !== undefined) return false;
    const isKnown = matchesEntityTag(this.#lastEventId, event.id);
    this.#lastEventId = event.id;
    if (!isKnown) this.events.write(event.bytes);
    return !isKnown;
  }
}
