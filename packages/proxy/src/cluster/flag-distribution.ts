import type { Source } from "../sources/sources.ts";
import type { FlagUpdate, SyncEvent, SyncStatus } from "./flag-replica.ts";
import type { WorkerPeer } from "./messages.ts";

interface Progress {
  isLoading: boolean;
  loaded: string | undefined;
  published: string | undefined;
  /** Called when it has published its first flags. */
  readonly onReady: () => void;
}

/**
 * Distributes the flags of a source to the workers: all workers load an update, and when the last one has loaded it, all
 * publish it. So responses, and whether the proxy is ready, do not depend on which worker serves a connection. Changes in
 * the meantime become the next update. All wait for a worker that hangs, until the heartbeat kills it.
 */
export class FlagDistribution {
  readonly #source: Source;
  readonly #index: number;
  readonly #workers = new Map<WorkerPeer, Progress>();
  #update: FlagUpdate | undefined;
  /** When the flags of the update were confirmed; those of the source may already be newer ones. */
  #confirmedAtMs: number | undefined;

  /** @param index the position of the source in the configuration */
  constructor(source: Source, index: number) {
    this.#source = source;
    this.#index = index;
    const { flags, onFailure } = source;
    flags.on("changed", () => this.#advance());
    flags.on("unchanged", () => this.#sendStatus("unchanged"));
    flags.on("live", () => this.#sendStatus());
    flags.on("fall", () => this.#sendStatus());
    onFailure(() => this.#sendStatus());
  }

  /** Adds a worker. Resolves when it has the flags of the other workers, immediately if there are none. */
  join(worker: WorkerPeer): Promise<void> {
    return new Promise((onReady) => {
      const unknown = { loaded: undefined, published: undefined };
      this.#workers.set(worker, { ...unknown, isLoading: false, onReady });
      if (this.#source.lastFailure() !== undefined) this.#sendStatus(undefined, [worker]);
      if (this.#update === undefined) onReady();
      this.#advance();
    });
  }

  loaded(worker: WorkerPeer, revision: string): void {
    const progress = this.#workers.get(worker);
    if (progress !== undefined) Object.assign(progress, { isLoading: false, loaded: revision });
    this.#advance();
  }

  leave(worker: WorkerPeer): void {
    this.#workers.delete(worker);
    this.#advance();
  }

  /** Sends the current update to the workers that need it. When all have loaded it, lets them publish it. */
  #advance(): void {
    for (;;) {
      const isComplete = this.#update === undefined || this.#distribute(this.#update);
      if (!isComplete || !this.#takeNext()) return;
    }
  }

  /** Takes the flags of the source as the next update. Returns whether they have changed. */
  #takeNext(): boolean {
    const { snapshot, definitions, confirmedAtMs } = this.#source.flags;
    if (snapshot === undefined || snapshot.revision === this.#update?.revision) return false;
    this.#confirmedAtMs = confirmedAtMs;
    this.#update = { revision: snapshot.revision, text: JSON.stringify(definitions) };
    return true;
  }

  /** Returns whether no worker has to be waited for. */
  #distribute(update: FlagUpdate): boolean {
    const { revision } = update;
    for (const [worker, progress] of this.#workers) {
      // Updates must not accumulate in the channel to a worker that makes no progress.
      if (progress.isLoading || progress.loaded === revision) continue;
      progress.isLoading = true;
      worker.send({ kind: "flags", source: this.#index, ...update });
    }
    if ([...this.#workers.values()].some(({ loaded }) => loaded !== revision)) return false;
    for (const [worker, progress] of this.#workers) {
      if (progress.published === revision) continue;
      progress.published = revision;
      this.#sendStatus("publish", [worker]);
      progress.onReady();
    }
    return true;
  }

  #sendStatus(event?: SyncEvent, workers: Iterable<WorkerPeer> = this.#workers.keys()): void {
    const status = this.#status();
    for (const worker of workers) {
      worker.send({ kind: "status", source: this.#index, status, event });
    }
  }

  #status(): SyncStatus {
    const { flags, lastFailure } = this.#source;
    const { snapshot, lastFetchAtMs, lastUpdateAtMs, origin, isLive, fall } = flags;
    const revision = this.#update?.revision;
    if (snapshot?.revision === revision) this.#confirmedAtMs = flags.confirmedAtMs;
    const atMs = this.#confirmedAtMs;
    const ageMs = atMs === undefined ? undefined : performance.now() - atMs;
    const failure = lastFailure();
    return { lastFetchAtMs, lastUpdateAtMs, origin, isLive, fall, failure, revision, ageMs };
  }
}
