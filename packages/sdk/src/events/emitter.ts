type EventMap<Events> = { readonly [Event in keyof Events]: (...details: never[]) => void };

/** Told of a listener that threw: the event it listened to, and what it threw. */
export type ListenerFault = (event: PropertyKey, cause: unknown) => void;

/**
 * A typed event emitter on which nothing can go wrong for the one who emits: an `error` event without
 * listeners is silent, and a listener that throws does not keep the next one from being told.
 */
export class Emitter<Events extends EventMap<Events>> {
  readonly #listeners = new Map<keyof Events, readonly Events[keyof Events][]>();
  readonly #onListenerFault: ListenerFault;

  constructor(onListenerFault: ListenerFault) {
    this.#onListenerFault = onListenerFault;
  }

  on<Event extends keyof Events>(event: Event, listener: Events[Event]): void {
    this.#listeners.set(event, [...this.#of(event), listener]);
  }

  /** Removes the listener once, if it was added. */
  off<Event extends keyof Events>(event: Event, listener: Events[Event]): void {
    const listeners = this.#of(event);
    const index = listeners.indexOf(listener);
    if (index !== -1) this.#listeners.set(event, listeners.toSpliced(index, 1));
  }

  /** Lets a caller on a hot path skip building an event that nobody wants. */
  has(event: keyof Events): boolean {
    return this.#of(event).length > 0;
  }

  emit<Event extends keyof Events>(event: Event, ...details: Parameters<Events[Event]>): void {
    for (const listener of this.#of(event)) {
      try {
        listener(...details);
      } catch (cause) {
        this.#onListenerFault(event, cause);
      }
    }
  }

  #of(event: keyof Events): readonly Events[keyof Events][] {
    return this.#listeners.get(event) ?? [];
  }
}
