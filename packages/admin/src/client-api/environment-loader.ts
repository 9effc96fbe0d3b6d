import { setImmediate } from "node:timers/promises";
import { AdaptiveBatches, takeSome } from "../scheduling/adaptive-batches.ts";
import type { Database } from "../storage/database.ts";
import { readRevision } from "../storage/revisions.ts";
import type { Storage } from "../storage/storage.ts";
import {
  byName,
  type EnvironmentState,
  type FeatureEntry,
  type SegmentEntry,
} from "./environment-state.ts";
import { findChanges, findLatestRevision } from "./find-changes.ts";
import {
  listFlagNames,
  listSegmentIds,
  loadFlags,
  loadSegments,
  SEGMENTS_PER_BATCH,
} from "./load-flags.ts";

/** A state, and the revision of the database up to which it is known to be current. */
export interface LoadedEnvironment {
  readonly state: EnvironmentState;
  readonly seenRevision: number;
}

/** Changes could arrive faster than they are loaded. */
const MAX_STEPS = 1000;

interface LoadOptions {
  /** After so many transactions, the next one loads all the rest. @default 1000 */
  readonly maxSteps?: number;
}

/**
 * Loads an environment, or what has changed since it was loaded.
 *
 * Each transaction reads the changes since the previous one, and loads a part of what is missing or has changed
 * meanwhile. The state is complete when nothing is left. A single transaction would block the embedded database for
 * seconds.
 */
export async function loadEnvironment(
  storage: Pick<Storage, "read">,
  environment: string,
  previous: LoadedEnvironment | undefined,
  { maxSteps = MAX_STEPS }: LoadOptions = {},
): Promise<LoadedEnvironment> {
  const draft = new EnvironmentDraft(environment, previous);
  let steps = 1;
  // oxlint-disable-next-line no-await-in-loop -- other requests use the database in between
  while (!(await storage.read((db) => draft.continue(db, steps > maxSteps)))) {
    steps += 1;
    // oxlint-disable-next-line no-await-in-loop -- see above
    await setImmediate();
  }
  return draft.finish();
}

class EnvironmentDraft {
  readonly #environment: string;
  readonly #previous: LoadedEnvironment | undefined;
  readonly #features: Map<string, FeatureEntry>;
  readonly #segments: Map<number, SegmentEntry>;
  readonly #missingFlags = new Set<string>();
  readonly #missingSegments = new Set<number>();
  #revision: number;
  #seenRevision: number | undefined;
  readonly #batches = new AdaptiveBatches();

  constructor(environment: string, previous: LoadedEnvironment | undefined) {
    this.#environment = environment;
    this.#previous = previous;
    this.#revision = previous?.state.revision ?? 0;
    this.#seenRevision = previous?.seenRevision;
    this.#features = new Map(previous?.state.features.map((entry) => [entry.feature.name, entry]));
    this.#segments = new Map(previous?.state.segments);
  }

  /** Loads some or all of what is missing, in a transaction. Returns whether the state is complete. */
  async continue(db: Database, loadsAll: boolean): Promise<boolean> {
    const revision = await readRevision(db);
    if (this.#seenRevision === undefined) await this.#findAll(db);
    else if (await this.#findChanges(db, this.#seenRevision, loadsAll)) return false;
    this.#seenRevision = revision;

    await this.#loadSome(db);
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one statement at a time
    if (loadsAll) while (this.#isIncomplete) await this.#loadSome(db);
    return !this.#isIncomplete;
  }

  get #isIncomplete(): boolean {
    return this.#missingFlags.size > 0 || this.#missingSegments.size > 0;
  }

  async #findAll(db: Database): Promise<void> {
    this.#revision = await findLatestRevision(db, this.#environment);
    await this.#missEverything(db);
  }

  async #missEverything(db: Database): Promise<void> {
    const names = await listFlagNames(db, this.#environment);
    // Those that are no longer there are removed when they are not found.
    for (const name of [...this.#features.keys(), ...names]) this.#missingFlags.add(name);
    const ids = await listSegmentIds(db);
    for (const id of [...this.#segments.keys(), ...ids]) this.#missingSegments.add(id);
  }

  /** Returns whether there may be more changes, which must be found before anything is loaded. */
  async #findChanges(db: Database, since: number, findsAll: boolean): Promise<boolean> {
    const changes = await findChanges(db, this.#environment, since, findsAll);
    this.#revision = changes.revision ?? this.#revision;
    for (const name of changes.flags) this.#missingFlags.add(name);
    for (const id of changes.segments) this.#missingSegments.add(id);
    for (const project of changes.projects) await this.#missProject(db, project);
    if (changes.includesEverything) await this.#missEverything(db);
    if (changes.isPartial) this.#seenRevision = changes.revision;
    return changes.isPartial;
  }

  async #missProject(db: Database, project: string): Promise<void> {
    for (const { feature } of this.#features.values()) {
      if (feature.project === project) this.#missingFlags.add(feature.name);
    }
    const names = await listFlagNames(db, this.#environment, project);
    for (const name of names) this.#missingFlags.add(name);
  }

  async #loadSome(db: Database): Promise<void> {
    await this.#batches.runNext(this.#missingFlags, async (names) => {
      for (const name of names) this.#features.delete(name);
      const loaded = await loadFlags(db, this.#environment, names);
      for (const entry of loaded) this.#features.set(entry.feature.name, entry);
    });
    const ids = takeSome(this.#missingSegments, SEGMENTS_PER_BATCH);
    for (const id of ids) this.#segments.delete(id);
    const loaded = await loadSegments(db, ids);
    for (const entry of loaded) this.#segments.set(entry.segment.id, entry);
  }

  /** Returns the previous state if nothing has changed. */
  finish(): LoadedEnvironment {
    const { state } = this.#previous ?? {};
    const seenRevision = this.#seenRevision ?? 0;
    if (state?.revision === this.#revision) return { state, seenRevision };
    const features = [...this.#features.values()].toSorted(byName);
    return {
      state: { revision: this.#revision, features, segments: this.#segments },
      seenRevision,
    };
  }
}
