import { parseInSteps } from "flags-engine";
import type { Snapshot, Steps } from "flags-engine";
import type { FeatureDefinitions, FlagOrigin } from "../synced-flags.ts";
import type { Compiler } from "./compiler.ts";
import { Revisions } from "./revision.ts";

/** Where a document of a client comes from. */
export type Origin = Exclude<FlagOrigin, "file">;

/**
 * - `changed`: there is a new snapshot.
 * - `unchanged`: the document has the same content as the current snapshot.
 * - `outranked`: ignored, because the current data has an origin of higher rank.
 * - `older`: ignored, because the current data has other content and was confirmed later.
 */
export type Acceptance = "changed" | "unchanged" | "outranked" | "older";

interface FlagStateOptions {
  readonly compiler: Pick<Compiler, "compile">;
  readonly bootstrapOverrides: boolean;
}

/** The current snapshot and definitions. Data from the upstream outranks any other, even if it is older. */
export class FlagState {
  /** Set by `accept()` only. A field, because each request reads it. */
  snapshot: Snapshot | undefined;
  readonly #compiler: FlagStateOptions["compiler"];
  readonly #ranks: Readonly<Record<Origin, number>>;
  readonly #revisions = new Revisions();
  #rank = 0;
  #definitions: FeatureDefinitions | undefined;
  #origin: Origin | undefined;

  constructor({ compiler, bootstrapOverrides }: FlagStateOptions) {
    this.#compiler = compiler;
    this.#ranks = { store: 2, bootstrap: bootstrapOverrides ? 3 : 1, shared: 4, upstream: 4 };
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.#definitions;
  }

  get origin(): Origin | undefined {
    return this.#origin;
  }

  outranks(origin: Origin): boolean {
    return this.#rank > this.#ranks[origin];
  }

  /**
   * Replaces the current data in the last step; throws without changing anything if the document is
   * unusable. Calls must not overlap: complete one before starting the next.
   *
   * @param isOlder whether it was confirmed earlier than the current data; then it is ignored, unless it is equal
   */
  *accept(input: unknown, origin: Origin, isOlder = false): Steps<Acceptance> {
    if (this.outranks(origin)) return "outranked";
    const document = yield* parseInSteps(input);
    const received = toDefinitions(input as ParsedInput);
    const revision = yield* this.#revisions.of(received);
    const isNew = revision !== this.snapshot?.revision;
    if (isNew && isOlder) return "older";
    if (isNew) {
      const definitions = yield* this.#revisions.reuse(received, this.#definitions);
      this.snapshot = yield* this.#compiler.compile({ document, revision }, this.snapshot);
      this.#definitions = definitions;
    }
    this.#rank = this.#ranks[origin];
    this.#origin = origin;
    return isNew ? "changed" : "unchanged";
  }
}

const DEFAULT_VERSION = 2;

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
