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
import type { FeatureDefinitions, FlagOrigin, FlagSource } from "flags-sdk";
import {
  createFilter,
  idOfRestriction,
  isUnrestricted,
  restrictDefinitions,
  type Restriction,
} from "./restriction.ts";

/** The parts of a source that requests use. */
export type GrantedSource = Pick<
  FlagSource,
  | "snapshot"
  | "definitions"
  | "reportUsage"
  | "registerApplication"
  | "isLive"
  | "confirmedAtMs"
  | "lastFetchAtMs"
  | "origin"
>;

/**
 * A source without the flags that a restriction excludes. Every route reads flags through the source of
 * its grant, so this is the only place that hides flags.
 */
export class RestrictedSource implements GrantedSource {
  readonly complete: FlagSource;
  readonly restriction: Restriction;
  readonly #snapshots = new WeakMap<Snapshot, Snapshot>();
  readonly #definitions = new WeakMap<FeatureDefinitions, FeatureDefinitions>();

  constructor(complete: FlagSource, restriction: Restriction) {
    this.complete = complete;
    this.restriction = restriction;
  }

  get snapshot(): Snapshot | undefined {
    const { snapshot } = this.complete;
    return snapshot && this.restrict(snapshot);
  }

  get definitions(): FeatureDefinitions | undefined {
    const { definitions } = this.complete;
    if (definitions === undefined) return undefined;
    const known = this.#definitions.get(definitions);
    if (known !== undefined) return known;
    const restricted = restrictDefinitions(definitions, this.restriction);
    this.#definitions.set(definitions, restricted);
    return restricted;
  }

  get isLive(): boolean {
    return this.complete.isLive ?? false;
  }

  get confirmedAtMs(): number | undefined {
    return this.complete.confirmedAtMs;
  }

  get origin(): FlagOrigin | undefined {
    return this.complete.origin;
  }

  get lastFetchAtMs(): number | undefined {
    return this.complete.lastFetchAtMs;
  }

  reportUsage(...parameters: Parameters<FlagSource["reportUsage"]>): boolean | Promise<boolean> {
    return this.complete.reportUsage(...parameters);
  }

  registerApplication(
    ...parameters: Parameters<NonNullable<FlagSource["registerApplication"]>>
  ): void | Promise<void> {
    return this.complete.registerApplication?.(...parameters);
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

  /** Restricts a snapshot of the source, once. */
  restrict(snapshot: Snapshot): Snapshot {
    const known = this.#snapshots.get(snapshot);
    if (known !== undefined) return known;
    const restricted = new RestrictedSnapshot(snapshot, this.restriction);
    this.#snapshots.set(snapshot, restricted);
    return restricted;
  }

  /** The restricted form of a snapshot; undefined if nothing has used it. */
  known(snapshot: Snapshot): Snapshot | undefined {
    return this.#snapshots.get(snapshot);
  }
}

/** The source with all flags. */
export function completeSource(source: GrantedSource): GrantedSource {
  return source instanceof RestrictedSource ? source.complete : source;
}

/** The only projects whose flags a source has; undefined for all. */
export function projectsOf(source: GrantedSource): readonly string[] | undefined {
  return source instanceof RestrictedSource ? source.restriction.projects : undefined;
}

/** The restricted sources in use. Grants with equal restrictions share one, with its caches. */
export class RestrictedSources {
  readonly #sources = new Map<FlagSource, Map<string, RestrictedSource>>();

  /** Returns a source with only the allowed flags; the source itself if all are allowed. */
  get(source: FlagSource, restriction: Restriction): GrantedSource {
    if (isUnrestricted(restriction)) return source;
    const known = this.#sources.get(source) ?? new Map<string, RestrictedSource>();
    this.#sources.set(source, known);
    const id = idOfRestriction(restriction);
    const restricted = known.get(id) ?? new RestrictedSource(source, restriction);
    known.set(id, restricted);
    return restricted;
  }

  of(source: FlagSource): Iterable<RestrictedSource> {
    return this.#sources.get(source)?.values() ?? [];
  }

  /** The current snapshot of a source, and the restricted forms of it that are in use. */
  snapshotsOf(source: FlagSource): readonly Snapshot[] {
    const { snapshot } = source;
    if (snapshot === undefined) return [];
    const restricted = Array.from(this.of(source), (each) => each.known(snapshot) ?? []);
    return [snapshot, ...restricted.flat()];
  }

  /** Removes those that are not in use. */
  retain(used: ReadonlySet<GrantedSource>): void {
    for (const known of this.#sources.values()) {
      for (const [id, source] of known) if (!used.has(source)) known.delete(id);
    }
  }
}

/** The index that no flag has. */
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
    const { outcomes, ...rest } = this.#complete.evaluateAll(context, this.#vector);
    const positions = this.#positions;
    for (let index = 0; index < positions.length; index++) {
      vector[index] = outcomes[positions[index] ?? 0] ?? 0;
    }
    return { outcomes: vector, ...rest };
  }
}
