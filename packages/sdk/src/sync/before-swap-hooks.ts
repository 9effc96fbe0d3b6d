import type { Snapshot, Steps } from "flags-engine";
import type { BeforeSwapHook } from "../flag-source.ts";

/** What others want done with each snapshot before it is in force. */
export class BeforeSwapHooks {
  readonly #beforeSwapHooks = new Set<BeforeSwapHook>();

  /** Returns how to take it back. */
  add(preparation: BeforeSwapHook): () => void {
    this.#beforeSwapHooks.add(preparation);
    return () => void this.#beforeSwapHooks.delete(preparation);
  }

  /** Compiles a snapshot and prepares it. */
  *after(compiling: Steps<Snapshot>, former: Snapshot | undefined): Steps<Snapshot> {
    const snapshot = yield* compiling;
    for (const prepare of this.#beforeSwapHooks) yield* prepare(snapshot, former);
    return snapshot;
  }
}
