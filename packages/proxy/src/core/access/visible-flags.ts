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
import type { FeatureDefinitions } from "flags-sdk";
import type { FlagSource } from "../../upstream/flag-source.ts";
import type { Source } from "../../sources/sources.ts";
import {
  createFilter,
  idOfRestriction,
  isUnrestricted,
  restrictDefinitions,
  type Restriction,
} from "./restriction.ts";

/** The flags of a source that a key may see. Every route reads flags through those of its grant: only this hides flags. */
export class VisibleFlags {
  readonly source: Source;
  readonly restriction: Restriction;
  readonly areAll: boolean;
  readonly #snapshots = new WeakMap<Snapshot, Snapshot>();
  readonly #definitions = new WeakMap<FeatureDefinitions, FeatureDefinitions>();

  constructor(source: Source, restriction: Restriction) {
    this.source = source;
    this.restriction = restriction;
    this.areAll = isUnrestricted(restriction);
  }

  get snapshot(): Snapshot | undefined {
    const { snapshot } = this.source.flags;
    return snapshot && this.restrict(snapshot);
  }

  get definitions(): FeatureDefinitions | undefined {
    const { definitions } = this.source.flags;
    if (definitions === undefined || this.areAll) return definitions;
    const known = this.#definitions.get(definitions);
    if (known !== undefined) return known;
    const restricted = restrictDefinitions(definitions, this.restriction);
    this.#definitions.set(definitions, restricted);
    return restricted;
  }

  /**
   * Whether usage of a flag is accepted: one that is hidden is treated as one that does not exist. An unknown
   * flag may be new, but its project is not known.
   */
  acceptsUsageOf(name: string): boolean {
    const { projects, namePrefix } = this.restriction;
    if (projects === undefined) return name.startsWith(namePrefix);
    return this.snapshot !== undefined && this.snapshot.indexOf(name) >= 0;
  }

  restrict(snapshot: Snapshot): Snapshot {
    if (this.areAll) return snapshot;
    const known = this.#snapshots.get(snapshot);
    if (known !== undefined) return known;
    const restricted = new RestrictedSnapshot(snapshot, this.restriction);
    this.#snapshots.set(snapshot, restricted);
    return restricted;
  }

  /** Undefined if nothing has used the restricted form. */
  known(snapshot: Snapshot): Snapshot | undefined {
    return this.#snapshots.get(snapshot);
  }
}

/** What keys may see of each source. Grants with equal restrictions share it, with its caches. */
export class Visibility {
  readonly #bySource = new Map<FlagSource, Map<string, VisibleFlags>>();

  get(source: Source, { projects, namePrefix = "" }: Partial<Restriction> = {}): VisibleFlags {
    const restriction = { projects, namePrefix };
    const known = this.#bySource.get(source.flags) ?? new Map<string, VisibleFlags>();
    this.#bySource.set(source.flags, known);
    const id = idOfRestriction(restriction);
    const visible = known.get(id) ?? new VisibleFlags(source, restriction);
    known.set(id, visible);
    return visible;
  }

  of(source: FlagSource): Iterable<VisibleFlags> {
    return this.#bySource.get(source)?.values() ?? [];
  }

  /** The current snapshot of a source, with its restricted forms that are in use. */
  snapshotsOf(source: FlagSource): readonly Snapshot[] {
    const { snapshot } = source;
    if (snapshot === undefined) return [];
    const restricted = Array.from(this.of(source), (each) => each.known(snapshot) ?? []);
    return [snapshot, ...restricted.flat()];
  }

  retain(used: ReadonlySet<VisibleFlags>): void {
    for (const known of this.#bySource.values()) {
      for (const [id, visible] of known) if (!used.has(visible)) known.delete(id);
    }
  }
}

const NO_INDEX = -1;

/**
 * The flags of a snapshot that a restriction allows. Other flags do not exist in it, not even by name.
 *
 * Evaluations run in the complete snapshot, since a flag that is allowed can depend on one that is not.
 */
class RestrictedSnapshot implements Snapshot {
  readonly revision: string;
  readonly flags: readonly CompiledFlag[];
  /** Those of the complete snapshot: more than necessary is safe. */
  readonly contextDependencies: ContextDependencies;
  readonly diagnostics: readonly Diagnostic[] = [];
  readonly origin: SnapshotOrigin;
  readonly #complete: Snapshot;
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
    const { outcomes, ...rest } = this.#complete.evaluateAll(context, this.#vector);
    const positions = this.#positions;
    for (let index = 0; index < positions.length; index++) {
      vector[index] = outcomes[positions[index] ?? 0] ?? 0;
    }
    return { outcomes: vector, ...rest };
  }
}
