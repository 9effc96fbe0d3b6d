import type { Snapshot } from "flags-engine";
import type { ApplicationUsage, FeatureDefinitions, FlagSource } from "flags-sdk";
import type { UpstreamSource } from "../sources.ts";
import { RestrictedSnapshot } from "./restricted-snapshot.ts";
import {
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

/** Creates a function that returns the name of a source, restricted or not, for telemetry. */
export function createSourceNames(
  sources: readonly UpstreamSource[],
): (source: GrantedSource) => string {
  const names = new Map<GrantedSource, string>(sources.map(({ flags, name }) => [flags, name]));
  return (source) => names.get(completeSource(source)) ?? "unknown";
}

/** Usage without the flags that a source hides, and how many these were. */
interface RestrictedUsage {
  readonly usage: ApplicationUsage;
  readonly omittedCount: number;
}

/** Omits usage of flags that a source hides, or that do not exist: nobody can find out which. */
export function restrictUsage(source: GrantedSource, usage: ApplicationUsage): RestrictedUsage {
  if (!(source instanceof RestrictedSource)) return { usage, omittedCount: 0 };
  const entries = Object.entries(usage.features);
  const accepted = entries.filter(([name]) => source.acceptsUsageOf(name));
  // NOTE: no prototype, since a flag can be named `__proto__`.
  const features = Object.create(null) as Record<string, (typeof entries)[number][1]>;
  for (const [name, counts] of accepted) features[name] = counts;
  return { usage: { ...usage, features }, omittedCount: entries.length - accepted.length };
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
