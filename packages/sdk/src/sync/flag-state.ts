import type { Snapshot } from "flags-engine";
import type { FeatureDefinitions } from "../flag-source.ts";
import { checkDocument } from "./definitions.ts";
import type { CheckedDocument } from "./definitions.ts";

/** Where a document comes from. */
export type Origin = "storage" | "bootstrap" | "upstream";

/**
 * - `changed`: a new snapshot is in force.
 * - `unchanged`: it says what the snapshot in force says.
 * - `outranked`: the data in force comes from a better origin.
 */
export type Acceptance = "changed" | "unchanged" | "outranked";

export interface FlagStateOptions {
  readonly compile: (checked: CheckedDocument) => Snapshot;
  /** Whether a bootstrap replaces what was restored from storage. */
  readonly bootstrapOverrides: boolean;
}

/** The data in force. The upstream outranks everything else, however late it comes. */
export class FlagState {
  readonly #compile: (checked: CheckedDocument) => Snapshot;
  readonly #ranks: Readonly<Record<Origin, number>>;
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

  /** Puts a document in force; throws, and changes nothing, when it is unusable. */
  accept(input: unknown, origin: Origin): Acceptance {
    if (this.outranks(origin)) return "outranked";
    const checked = checkDocument(input);
    const isNew = checked.revision !== this.#snapshot?.revision;
    if (isNew) {
      this.#snapshot = this.#compile(checked);
      this.#definitions = checked.definitions;
    }
    this.#rank = this.#ranks[origin];
    return isNew ? "changed" : "unchanged";
  }
}
