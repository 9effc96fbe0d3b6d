import { applyDelta, DocumentError } from "flags-engine";
import type { FeaturesState } from "flags-engine";
import { toNameOrder } from "./name-order.ts";
import type { PreferredOptions } from "./polling-fallback.ts";

const VERSION = 2;

/** What the upstream has, put together from its changes and handed over after each. */
export class DeltaDocument {
  readonly #options: Pick<PreferredOptions, "sink" | "isInForce">;
  #state: FeaturesState | undefined;

  constructor(options: Pick<PreferredOptions, "sink" | "isInForce">) {
    this.#options = options;
  }

  /** Whether changes can be applied; if not, everything has to come first. */
  get isHydrated(): boolean {
    return this.#state !== undefined;
  }

  /** Puts a delta in force; rejects when that is impossible, and then starts from nothing. */
  async apply(delta: unknown, signal: AbortSignal): Promise<void> {
    const before = this.#state;
    this.#state = undefined;
    const events = eventsOf(delta);
    const after = toNameOrder(applyDelta(before ?? startOf(events), events));
    if (before !== undefined && events.length === 0) await this.#confirm(after, signal);
    else await this.#handOver(after, signal);
    this.#state = after;
  }

  /** The upstream has nothing new. */
  async unchanged(signal: AbortSignal): Promise<void> {
    if (this.#state === undefined) this.#options.sink.unchanged();
    else await this.#confirm(this.#state, signal);
  }

  /** Starts from nothing, as something may have been missed. */
  forget(): void {
    this.#state = undefined;
  }

  /** NOTE: a change that was taken back leaves nothing to tell, and what polling saw of it in force. */
  async #confirm(state: FeaturesState, signal: AbortSignal): Promise<void> {
    if (this.#options.isInForce()) this.#options.sink.unchanged();
    else await this.#handOver(state, signal);
  }

  #handOver(state: FeaturesState, signal: AbortSignal): Promise<void> {
    return this.#options.sink.accept({ version: VERSION, ...state }, signal);
  }
}

function eventsOf(delta: unknown): readonly unknown[] {
  const events: unknown =
    typeof delta === "object" && delta !== null && "events" in delta ? delta.events : undefined;
  if (Array.isArray(events)) return events;
  throw new DocumentError("A delta must have a list of events");
}

function startOf([first]: readonly unknown[]): FeaturesState {
  const { type } = (first ?? {}) as { readonly type?: unknown };
  if (type === "hydration") return { features: [], segments: [] };
  throw new DocumentError("A hydration must come before changes");
}
