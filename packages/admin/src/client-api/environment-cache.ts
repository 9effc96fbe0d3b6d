import { Batcher } from "../scheduling/batcher.ts";
import type { Storage } from "../storage/storage.ts";
import { loadEnvironment, type LoadedEnvironment } from "./environment-loader.ts";
import type { EnvironmentState } from "./environment-state.ts";

/** An environment that has not been requested for so long is loaded completely, because events are deleted after a day or more. */
const MAX_AGE_MS = 12 * 60 * 60 * 1000;

/**
 * The current states of environments. Every call reads the revision of the database, and loads only
 * what has changed.
 */
export class EnvironmentCache {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #environments = new Map<string, CachedEnvironment>();
  readonly #revisions: Batcher<undefined, number>;

  /** @param now the time in milliseconds. @default `Date.now()` */
  constructor(storage: Storage, now: () => number = Date.now) {
    this.#storage = storage;
    this.#now = now;
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
    // NOTE: loads in progress do not return: they belong to the forgotten environments.
    this.#environments.clear();
  }

  /** Resolves to the state at the time of the call or later. */
  async current(environment: string): Promise<EnvironmentState> {
    const revision = await this.#revisions.add(undefined);
    const known = this.#environments.get(environment);
    const cached = known ?? new CachedEnvironment(this.#storage, environment, this.#now);
    this.#environments.set(environment, cached);
    return cached.since(revision);
  }
}

class CachedEnvironment {
  readonly #now: () => number;
  /** Many requests arrive at once after a change: one load serves all of them. */
  readonly #loads: Batcher<undefined, EnvironmentState>;
  #loaded: LoadedEnvironment | undefined;
  /** When the state was last known to be current. */
  #checkedMs = 0;

  constructor(storage: Storage, environment: string, now: () => number) {
    this.#now = now;
    this.#loads = new Batcher({
      run: async (requests) => {
        const startMs = now();
        const ageMs = startMs - this.#checkedMs;
        const isRecent = ageMs >= 0 && ageMs < MAX_AGE_MS;
        const previous = isRecent ? this.#loaded : undefined;
        const loaded = await loadEnvironment(storage, environment, previous);
        storage.saw(loaded.seenRevision);
        this.#loaded = loaded;
        this.#checkedMs = startMs;
        return requests.map(() => loaded.state);
      },
      maxItems: Infinity,
    });
  }

  /** Resolves to a state that contains all changes up to a revision. */
  async since(revision: number): Promise<EnvironmentState> {
    if (this.#loaded === undefined || this.#loaded.seenRevision < revision) {
      return this.#loads.add(undefined);
    }
    this.#checkedMs = this.#now();
    return this.#loaded.state;
  }
}
