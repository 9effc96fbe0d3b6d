import { parseInSteps } from "flags-engine";
import type { Snapshot, Steps } from "flags-engine";
import type { FeatureDefinitions } from "../flag-source.ts";
import type { Compiler } from "./compiler.ts";
import { Revisions } from "./revision.ts";

/** Where a document comes from; `shared`: from the upstream, through another replica. */
export type Origin = "storage" | "bootstrap" | "shared" | "upstream";

/**
 * - `changed`: there is a new snapshot.
 * - `unchanged`: the document has the same content as the current snapshot.
 * - `outranked`: ignored, because the current data has an origin of higher rank.
 */
export type Acceptance = "changed" | "unchanged" | "outranked";

/** `FlagState` is read-only for everything but itself. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface FlagStateOptions {
  readonly compiler: Pick<Compiler, "compile">;
  /** Whether a bootstrap replaces data restored from storage. */
  readonly bootstrapOverrides: boolean;
}

/** The current snapshot and definitions. Data from the upstream outranks any other, even if it is older. */
export class FlagState {
  readonly #compiler: FlagStateOptions["compiler"];
  readonly #ranks: Readonly<Record<Origin, number>>;
  readonly #revisions = new Revisions();
  #rank = 0;
  readonly snapshot: Snapshot | undefined;
  readonly definitions: FeatureDefinitions | undefined;
  /** The origin of the current data. */
  readonly origin: Origin | undefined;

  constructor({ compiler, bootstrapOverrides }: FlagStateOptions) {
    this.#compiler = compiler;
    this.#ranks = { storage: 2, bootstrap: bootstrapOverrides ? 3 : 1, shared: 4, upstream: 4 };
  }

  /** Whether the current data outranks data from the origin. */
  outranks(origin: Origin): boolean {
    return this.#rank > this.#ranks[origin];
  }

  /**
   * Replaces the current data in the last step; throws without changing anything if the document is
   * unusable. Calls must not overlap: complete one before starting the next.
   */
  *accept(input: unknown, origin: Origin): Steps<Acceptance> {
    if (this.outranks(origin)) return "outranked";
    const document = yield* parseInSteps(input);
    const received = toDefinitions(input as ParsedInput);
    const revision = yield* this.#revisions.of(received);
    // NOTE: nothing else assigns these properties. They are not getters, because each request reads them.
    const state = this as Writable<FlagState>;
    const isNew = revision !== this.snapshot?.revision;
    if (isNew) {
      const definitions = yield* this.#revisions.reuse(received, this.definitions);
      state.snapshot = yield* this.#compiler.compile({ document, revision }, this.snapshot);
      state.definitions = definitions;
    }
    this.#rank = this.#ranks[origin];
    state.origin = origin;
    return isNew ? "changed" : "unchanged";
  }
}

const DEFAULT_VERSION = 2;

/** A document that `parseInSteps` has accepted. */
interface ParsedInput {
  readonly version?: unknown;
  readonly features: readonly unknown[];
  readonly segments?: readonly unknown[] | null;
}

function toDefinitions({ version, features, segments }: ParsedInput): FeatureDefinitions {
  return {
    version: typeof version === "number" ? version : DEFAULT_VERSION,
    features,
    segments: segments ?? [],
  };
}
