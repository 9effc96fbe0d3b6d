import type { Snapshot, Steps } from "flags-engine";
import type { FeatureDefinitions } from "../flag-source.ts";
import { checkDocument } from "./definitions.ts";
import type { CheckedDocument } from "./definitions.ts";
import { Revisions } from "./revision.ts";

/** Where a document comes from. */
export type Origin = "storage" | "bootstrap" | "upstream";

/**
 * - `changed`: a new snapshot is in force.
 * - `unchanged`: it says what the snapshot in force says.
 * - `outranked`: the data in force comes from a better origin.
 */
export type Acceptance = "changed" | "unchanged" | "outranked";

export interface FlagStateOptions {
  /** Compiles a document; `former` is the snapshot in force. */
  readonly compile: (checked: CheckedDocument, former: Snapshot | undefined) => Steps<Snapshot>;
  /** Whether a bootstrap replaces what was restored from storage. */
  readonly bootstrapOverrides: boolean;
}

/** The data in force. The upstream outranks everything else, however late it comes. */
export class FlagState {
  readonly #compile: FlagStateOptions["compile"];
  readonly #ranks: Readonly<Record<Origin, number>>;
  readonly #revisions = new Revisions();
  #rank = 0;
  #snapshot: Snapshot | undefined;
  #definitions: FeatureDefinitions | undefined;

  constructor({ compile, bootstrapOverrides }: FlagStateOptions) {
    this.#compile = compile;
    this.#ranks = { storage: 2, bootstrap: bootstrapOverrides ? 3 : 1, upstream: 4 };
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.#definitions;
  }

  outranks(origin: Origin): boolean {
    return this.#rank > this.#ranks[origin];
  }

  /**
   * Puts a document in force with the last step; throws, and changes nothing, when it is unusable.
   * Documents must not take turns: one has to be done before the next begins.
   */
  *accept(input: unknown, origin: Origin): Steps<Acceptance> {
    if (this.outranks(origin)) return "outranked";
    const checked = yield* checkDocument(input, this.#revisions);
    const isNew = checked.revision !== this.#snapshot?.revision;
    if (isNew) {
      const definitions = yield* this.#revisions.reuse(checked.definitions, this.#definitions);
      this.#snapshot = yield* this.#compile(checked, this.#snapshot);
      this.#definitions = definitions;
    }
    this.#rank = this.#ranks[origin];
    return isNew ? "changed" : "unchanged";
  }
}
