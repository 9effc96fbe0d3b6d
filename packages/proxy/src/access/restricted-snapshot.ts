import { createHash } from "node:crypto";
import type {
  CompiledFlag,
  Context,
  ContextDependencies,
  Diagnostic,
  Evaluation,
  Snapshot,
  SnapshotOrigin,
} from "flags-engine";
import { createFilter, idOfRestriction, type Restriction } from "./restriction.ts";

/** The index that no flag has. */
const NO_INDEX = -1;

/**
 * The flags of a snapshot that a restriction allows. Other flags do not exist in it, not even by name.
 *
 * Evaluations run in the complete snapshot, since a flag that is allowed can depend on one that is not.
 */
export class RestrictedSnapshot implements Snapshot {
  readonly revision: string;
  readonly flags: readonly CompiledFlag[];
  /** Those of the complete snapshot: more than necessary is safe. */
  readonly contextDependencies: ContextDependencies;
  readonly diagnostics: readonly Diagnostic[] = [];
  readonly origin: SnapshotOrigin;
  readonly #complete: Snapshot;
  /** The position of each flag in the complete snapshot. */
  readonly #positions: Int32Array;
  readonly #indexes: ReadonlyMap<string, number>;
  /** The outcomes of the complete snapshot; overwritten by each evaluation. */
  readonly #vector: Int32Array;

  constructor(complete: Snapshot, restriction: Restriction) {
    const isIncluded = createFilter(restriction);
    const positions = complete.flags.flatMap((flag, position) =>
      isIncluded(flag) ? [position] : [],
    );
    this.flags = Object.freeze(complete.flags.filter(isIncluded));
    this.revision = createHash("sha256")
      .update(JSON.stringify([complete.revision, idOfRestriction(restriction)]))
      .digest("hex")
      .slice(0, 16);
    this.contextDependencies = complete.contextDependencies;
    this.origin = complete.origin;
    this.#complete = complete;
    this.#positions = Int32Array.from(positions);
    this.#indexes = new Map(this.flags.map(({ name }, index) => [name, index]));
    this.#vector = new Int32Array(complete.flags.length);
  }

  indexOf(name: string): number {
    return this.#indexes.get(name) ?? NO_INDEX;
  }

  evaluate(index: number, context: Context): number {
    return this.#complete.evaluate(this.#positions[index] ?? NO_INDEX, context);
  }

  evaluateAll(context: Context, vector = new Int32Array(this.flags.length)): Evaluation {
    if (vector.length < this.flags.length) throw new RangeError("The vector is too short");
    const { outcomes, isRepeatable } = this.#complete.evaluateAll(context, this.#vector);
    const positions = this.#positions;
    for (let index = 0; index < positions.length; index++) {
      vector[index] = outcomes[positions[index] ?? 0] ?? 0;
    }
    return { outcomes: vector, isRepeatable };
  }
}
