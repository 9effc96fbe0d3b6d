import type { ContextDependencies } from "flags-engine";
import type { FlagSource } from "flags-sdk";
import { isNamedBy, type EventStream } from "flags-server-kit/http";
import type { Grant } from "../access/key-registry.ts";
import type { PreparedEvent } from "./shared-events.ts";
import type { StoredSubscription, Subscription } from "./subscription.ts";

interface PushStreamParts {
  readonly grant: Grant;
  readonly subscription: StoredSubscription;
  readonly events: EventStream;
  /** The id of the event that the client says it received last. */
  readonly lastEventId: string | undefined;
}

/** A client that gets its flags, and gets them again whenever they change. */
export class PushStream {
  readonly clientKey: string;
  readonly source: FlagSource;
  readonly events: EventStream;
  readonly #subscription: StoredSubscription;
  /** The id of the event that the client has once it has read everything that was sent. */
  #lastId: string | undefined;

  constructor({ grant, subscription, events, lastEventId }: PushStreamParts) {
    this.clientKey = grant.key;
    this.source = grant.source;
    this.events = events;
    this.#subscription = subscription;
    this.#lastId = lastEventId;
  }

  /** Memory for its subscription. */
  get bytes(): number {
    return this.#subscription.bytes;
  }

  subscription(): Subscription {
    return this.#subscription.load();
  }

  /** Whether rules read context fields now that the stream did not keep. */
  isOutdated(contextDependencies: ContextDependencies): boolean {
    return this.#subscription.isOutdated(contextDependencies);
  }

  /**
   * Sends an event unless the client has it, and returns whether it was sent. A client that reads too
   * slowly is sent nothing more until it has caught up; then it gets the current event.
   */
  offer(event: PreparedEvent): boolean {
    if (this.events.blockedSince !== undefined) return false;
    const isKnown = isNamedBy(this.#lastId, event.id);
    this.#lastId = event.id;
    if (!isKnown) this.events.write(event.bytes);
    return !isKnown;
  }

  /** Ends the stream; the client reconnects after the delay. */
  end(reconnectDelayMs: number): void {
    this.events.retryAfter(reconnectDelayMs);
    this.events.end();
  }
}
