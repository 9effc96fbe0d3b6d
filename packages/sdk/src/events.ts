import type { Context } from "flags-engine";
import type { FlagSourceEvents } from "./synced-flags.ts";
import type { EventSink } from "./transport/failure-log.ts";
import type { UpstreamError } from "./transport/upstream-error.ts";
import type { MetricsBody, RegistrationBody } from "./transport/wire-bodies.ts";

type EventMap<Events> = { readonly [Event in keyof Events]: (...details: never[]) => void };

type EventHandler = (event: PropertyKey, detail: unknown) => void;

/** A typed event emitter that never throws: a listener that throws does not affect the others. */
export class Emitter<Events extends EventMap<Events>> {
  readonly #listeners = new Map<keyof Events, readonly Events[keyof Events][]>();
  readonly #onListenerError: EventHandler;
  readonly #onUnheard: EventHandler | undefined;

  /**
   * @param onListenerError gets what a listener has thrown
   * @param onUnheard gets the first detail of an event that has no listeners. @default they are ignored
   */
  constructor(onListenerError: EventHandler, onUnheard?: EventHandler) {
    this.#onListenerError = onListenerError;
    this.#onUnheard = onUnheard;
  }

  on<Event extends keyof Events>(event: Event, listener: Events[Event]): void {
    this.#listeners.set(event, [...this.#listenersOf(event), listener]);
  }

  off<Event extends keyof Events>(event: Event, listener: Events[Event]): void {
    const listeners = this.#listenersOf(event);
    const index = listeners.indexOf(listener);
    if (index !== -1) this.#listeners.set(event, listeners.toSpliced(index, 1));
  }

  has(event: keyof Events): boolean {
    return this.#listenersOf(event).length > 0;
  }

  emit<Event extends keyof Events>(event: Event, ...details: Parameters<Events[Event]>): void {
    const listeners = this.#listenersOf(event);
    if (listeners.length === 0) this.#onUnheard?.(event, details[0]);
    for (const listener of listeners) {
      try {
        listener(...details);
      } catch (cause) {
        this.#onListenerError(event, cause);
      }
    }
  }

  #listenersOf(event: keyof Events): readonly Events[keyof Events][] {
    return this.#listeners.get(event) ?? [];
  }
}

/** An evaluation of a flag that collects impressions. */
export interface Impression {
  readonly eventType: "isEnabled" | "getVariant";
  readonly featureName: string;
  readonly context: Context;
  /** Whether the flag is on; for `getVariant`, whether the variant is enabled. */
  readonly enabled: boolean;
  /** The name of the variant, for `getVariant`. */
  readonly variant?: string;
}

/** Events of a client, with the parameters of their listeners. */
export interface FlagsClientEvents extends FlagSourceEvents {
  /** A flag that collects impressions was evaluated. */
  impression: (impression: Impression) => void;
  /** An evaluation was counted as usage. */
  count: (name: string, enabled: boolean) => void;
  /** A usage report was delivered. */
  sent: (report: MetricsBody) => void;
  /** The upstream accepted the registration of this client. */
  registered: (registration: RegistrationBody) => void;
  /**
   * A call to the upstream failed, or its response could not be used. Emitted for every failure: for
   * counting, not for logging.
   */
  failure: (error: UpstreamError) => void;
}

export function toEventSink(emitter: Emitter<FlagsClientEvents>): EventSink {
  return {
    error: (error) => emitter.emit("error", error),
    warn: (message) => emitter.emit("warn", message),
    failure: (error) => emitter.emit("failure", error),
  };
}
