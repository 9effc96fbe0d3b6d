import { applyDelta, DocumentError, isRecord } from "flags-engine";
import type { FeaturesState } from "flags-engine";
import { sortState } from "./document-order.ts";
import type { PreferredOptions } from "./polling-fallback.ts";
import type { Confirmation } from "../transport/confirmation.ts";

const VERSION = 2;

/** A document to which the changes from the upstream are applied. It is delivered after each change. */
export class DeltaDocument {
  readonly #options: Pick<PreferredOptions, "sink" | "isCurrent">;
  #state: FeaturesState | undefined;

  constructor(options: Pick<PreferredOptions, "sink" | "isCurrent">) {
    this.#options = options;
  }

  get isHydrated(): boolean {
    return this.#state !== undefined;
  }

  /** If that fails, rejects and resets the document. */
  async apply(delta: unknown, signal: AbortSignal, confirmation: Confirmation): Promise<void> {
    const previous = this.#state;
    this.#state = undefined;
    const events = eventsOf(delta);
    const state = sortState(applyDelta(previous ?? initialState(events), events));
    const isConfirmed = previous !== undefined && events.length === 0;
    if (isConfirmed) await this.#confirm(state, signal, confirmation);
    else await this.#deliver(state, signal, confirmation);
    this.#state = state;
  }

  async unchanged(signal: AbortSignal, confirmation: Confirmation): Promise<void> {
    if (this.#state === undefined) this.#options.sink.unchanged(confirmation);
    else await this.#confirm(this.#state, signal, confirmation);
  }

  /** Requires the upstream to send everything again, because a change may have been missed. */
  reset(): void {
    this.#state = undefined;
  }

  /** If flags were changed and changed back while the client polled, the upstream sends no change, so the polled flags would stay. */
  async #confirm(
    state: FeaturesState,
    signal: AbortSignal,
    confirmation: Confirmation,
  ): Promise<void> {
    if (this.#options.isCurrent()) this.#options.sink.unchanged(confirmation);
    else await this.#deliver(state, signal, confirmation);
  }

  #deliver(state: FeaturesState, signal: AbortSignal, confirmation: Confirmation): Promise<void> {
    return this.#options.sink.accept({ version: VERSION, ...state }, signal, confirmation);
  }
}

function eventsOf(delta: unknown): readonly unknown[] {
  const events: unknown = isRecord(delta) ? delta["events"] : undefined;
  if (Array.isArray(events)) return events;
  throw new DocumentError("A delta must have a list of events");
}

function initialState([first]: readonly unknown[]): FeaturesState {
  const { type } = (first ?? {}) as { readonly type?: unknown };
  if (type === "hydration") return { features: [], segments: [] };
  throw new DocumentError("The first event of a delta must be a hydration");
}
