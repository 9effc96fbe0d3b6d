import { applyDelta, DocumentError } from "flags-engine";
import type { FeaturesState } from "flags-engine";
import { toNameOrder } from "./name-order.ts";
import type { SyncSink } from "./synchronizer.ts";

const VERSION = 2;

/** What the upstream has, put together from its changes and handed over after each. */
export class DeltaDocument {
  readonly #sink: SyncSink;
  #state: FeaturesState | undefined;

  constructor(sink: SyncSink) {
    this.#sink = sink;
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
    if (before !== undefined && events.length === 0) this.#sink.unchanged();
    else await this.#sink.accept({ version: VERSION, ...after }, signal);
    this.#state = after;
  }

  /** Starts from nothing, as something may have been missed. */
  forget(): void {
    this.#state = undefined;
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
