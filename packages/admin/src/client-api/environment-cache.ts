import { Batcher } from "../scheduling/batcher.ts";
import { readRevision } from "../storage/revisions.ts";
import type { Storage } from "../storage/storage.ts";
import type { EnvironmentState } from "./environment-state.ts";
import { findRelevantRevision, loadEnvironment } from "./load-environment.ts";

interface CachedState {
  readonly state: EnvironmentState;
  /** Revision of the database up to which the state is known to be current. */
  readonly seenRevision: number;
}

interface Load {
  /** Minimum revision of the database that the load reads. */
  readonly minRevision: number;
  readonly result: Promise<CachedState>;
}

/**
 * The current states of environments. Every call reads the revision of the database, and loads only
 * environments that have changed.
 */
export class EnvironmentCache {
  readonly #storage: Storage;
  readonly #cached = new Map<string, CachedState>();
  readonly #loads = new Map<string, Load>();
  readonly #revisions: Batcher<undefined, number>;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#revisions = new Batcher({
      run: async (requests) => {
        const revision = await storage.revision();
        return requests.map(() => revision);
      },
      maxItems: Infinity,
    });
  }

  /** Forgets all states, because the database no longer contains the changes that led to them. */
  clear(): void {
    this.#cached.clear();
    this.#loads.clear();
  }

  /** Resolves to the state at the time of the call or later. */
  async current(environment: string): Promise<EnvironmentState> {
    const revision = await this.#revisions.add(undefined);
    const cached = this.#cached.get(environment);
    if (cached !== undefined && cached.seenRevision >= revision) return cached.state;

    const load = this.#loads.get(environment);
    // Many requests arrive at once after a change: one load serves all of them.
    if (load !== undefined && load.minRevision >= revision) return (await load.result).state;
    return (await this.#startLoad(environment, revision)).state;
  }

  #startLoad(environment: string, minRevision: number): Promise<CachedState> {
    const load: Load = { minRevision, result: this.#load(environment) };
    this.#loads.set(environment, load);
    const forget = (): void => {
      if (this.#loads.get(environment) === load) this.#loads.delete(environment);
    };
    load.result.then(forget, forget);
    return load.result;
  }

  async #load(environment: string): Promise<CachedState> {
    const previous = this.#cached.get(environment);
    const loaded = await this.#storage.read(async (db): Promise<CachedState> => {
      const seenRevision = await readRevision(db);
      const since = previous?.seenRevision ?? 0;
      const revision = await findRelevantRevision(db, environment, since);
      const state =
        previous !== undefined && revision === undefined
          ? previous.state
          : await loadEnvironment(db, environment, revision ?? 0);
      return { state, seenRevision };
    });
    this.#storage.saw(loaded.seenRevision);
    const newest = this.#cached.get(environment);
    if (newest === undefined || newest.seenRevision <= loaded.seenRevision) {
      this.#cached.set(environment, loaded);
    }
    return loaded;
  }
}
