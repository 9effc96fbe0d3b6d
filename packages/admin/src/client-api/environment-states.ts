import { Batcher } from "../storage/batcher.ts";
import type { Storage } from "../storage/storage.ts";
import { readRevision } from "../storage/revisions.ts";
import type { EnvironmentState } from "./environment-state.ts";
import { loadEnvironment } from "./load-environment.ts";
import { findRelevantRevision } from "./relevant-revision.ts";

interface Known {
  readonly state: EnvironmentState;
  /** Revision of the whole database up to which the state is known to be right. */
  readonly seen: number;
}

interface Load {
  /** Revision of the whole database that the load will have seen at least. */
  readonly atLeast: number;
  readonly known: Promise<Known>;
}

/**
 * What SDKs may learn of environments, right at the moment of the question: each question asks the
 * database for its revision, and reads again only what has changed.
 */
export class EnvironmentStates {
  readonly #storage: Storage;
  readonly #known = new Map<string, Known>();
  readonly #loads = new Map<string, Load>();
  readonly #revisions: Batcher<undefined, number>;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#revisions = new Batcher({
      run: async (questions) => {
        const revision = await storage.revision();
        return questions.map(() => revision);
      },
      maxItems: Infinity,
    });
  }

  async current(environment: string): Promise<EnvironmentState> {
    const revision = await this.#revisions.add(undefined);
    const known = this.#known.get(environment);
    if (known !== undefined && known.seen >= revision) return known.state;

    const load = this.#loads.get(environment);
    // Many ask at once after a change: one reads for all of them.
    if (load !== undefined && load.atLeast >= revision) return (await load.known).state;
    return (await this.#startLoad(environment, revision)).state;
  }

  #startLoad(environment: string, atLeast: number): Promise<Known> {
    const load: Load = { atLeast, known: this.#load(environment) };
    this.#loads.set(environment, load);
    const forget = (): void => {
      if (this.#loads.get(environment) === load) this.#loads.delete(environment);
    };
    load.known.then(forget, forget);
    return load.known;
  }

  async #load(environment: string): Promise<Known> {
    const before = this.#known.get(environment);
    const loaded = await this.#storage.read(async (db): Promise<Known> => {
      const seen = await readRevision(db);
      const since = before?.seen ?? 0;
      const revision = await findRelevantRevision(db, environment, since);
      const state =
        before !== undefined && revision === undefined
          ? before.state
          : await loadEnvironment(db, environment, revision ?? 0);
      return { state, seen };
    });
    const newest = this.#known.get(environment);
    if (newest === undefined || newest.seen <= loaded.seen) this.#known.set(environment, loaded);
    return loaded;
  }
}
