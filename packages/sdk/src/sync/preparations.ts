import type { Snapshot, Steps } from "flags-engine";
import type { Preparation } from "../flag-source.ts";

/** What others want done with each snapshot before it is in force. */
export class Preparations {
  readonly #preparations = new Set<Preparation>();

  /** Returns how to take it back. */
  add(preparation: Preparation): () => void {
    this.#preparations.add(preparation);
    return () => void this.#preparations.delete(preparation);
  }

  /** Compiles a snapshot and prepares it. */
  *after(compiling: Steps<Snapshot>, former: Snapshot | undefined): Steps<Snapshot> {
    const snapshot = yield* compiling;
    for (const prepare of this.#preparations) yield* prepare(snapshot, former);
    return snapshot;
  }
}
