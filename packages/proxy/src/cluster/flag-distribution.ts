import type { Logger } from "flags-server-kit/neutral";
import type { Source } from "../sources/sources.ts";
import type { FlagSource } from "../upstream/flag-source.ts";
import type { FlagUpdate, SyncEvent, SyncStatus } from "./flag-replica.ts";
import type { WorkerPeer } from "./messages.ts";

/** Maximum time for which the other workers wait for one to load its flags. */
const LOAD_TIMEOUT_MS = 10_000;

interface DistributionOptions {
  readonly source: Source;
  /** Position of the source in the configuration. */
  readonly index: number;
  readonly logger: Logger;
}

/** What a worker has done with the flags that were sent to it. */
interface Progress {
  isLoading: boolean;
  /** Whether the others do not wait for it. */
  isLate: boolean;
  /** The revision that it has loaded last. */
  loaded: string | undefined;
  published: string | undefined;
  /** Called when it has published its first flags. */
  readonly onReady: () => void;
}

/**
 * Distributes the flags of a source to the workers: all workers load an update, and when the last one has loaded it, all
 * publish it. So responses, and whether the proxy is ready, do not depend on which worker serves a connection. Changes in
 * the meantime become the next update. At most one update is sent to a worker before it has loaded the previous one,
 * however slow it is.
 */
export class FlagDistribution {
  readonly #options: DistributionOptions;
  readonly #source: FlagSource;
  readonly #workers = new Map<WorkerPeer, Progress>();
  #update: FlagUpdate | undefined;
  /** When that update was last confirmed. The source may have a later one, which it has confirmed later. */
  #confirmedAtMs: number | undefined;
  /** Set while workers are waited for. */
  #timeout: NodeJS.Timeout | undefined;

  constructor(options: DistributionOptions) {
    this.#options = options;
    const { flags, onFailure } = options.source;
    this.#source = flags;
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
      this.#workers.set(worker, { ...unknown, isLoading: false, isLate: false, onReady });
      if (this.#options.source.lastFailure() !== undefined) this.#sendStatus(undefined, [worker]);
      if (this.#update === undefined) onReady();
      this.#advance();
    });
  }

  /** Records that a worker has loaded the flags of a revision. */
  loaded(worker: WorkerPeer, revision: string): void {
    const progress = this.#workers.get(worker);
    if (progress !== undefined) {
      Object.assign(progress, { isLoading: false, isLate: false, loaded: revision });
    }
    this.#advance();
  }

  /** Records the exit of a worker. */
  leave(worker: WorkerPeer): void {
    this.#workers.delete(worker);
    this.#advance();
  }

  /** Stops waiting. */
  close(): void {
    this.#workers.clear();
    clearTimeout(this.#timeout);
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
    const { snapshot, definitions, confirmedAtMs } = this.#source;
    if (snapshot === undefined || snapshot.revision === this.#update?.revision) return false;
    this.#update = { revision: snapshot.revision, text: JSON.stringify(definitions) };
    this.#confirmedAtMs = confirmedAtMs;
    return true;
  }

  /** Returns whether no worker has to be waited for. */
  #distribute(update: FlagUpdate): boolean {
    const { revision } = update;
    for (const [worker, progress] of this.#workers) {
      // Updates must not accumulate in the channel to a worker that makes no progress.
      if (progress.isLoading || progress.loaded === revision) continue;
      progress.isLoading = true;
      worker.send({ kind: "flags", source: this.#options.index, ...update });
    }
    const all = [...this.#workers.values()];
    if (all.some(({ isLate, loaded }) => !isLate && loaded !== revision)) {
      this.#timeout ??= setTimeout(() => this.#stopWaiting(), LOAD_TIMEOUT_MS);
      return false;
    }
    clearTimeout(this.#timeout);
    this.#timeout = undefined;
    for (const [worker, progress] of this.#workers) {
      if (progress.loaded !== revision || progress.published === revision) continue;
      progress.published = revision;
      this.#sendStatus("publish", [worker]);
      progress.onReady();
    }
    return true;
  }

  #stopWaiting(): void {
    for (const [{ name }, progress] of this.#workers) {
      if (!progress.isLoading || progress.isLate) continue;
      progress.isLate = true;
      this.#options.logger.warn(
        `${name} is slow to load new flags: the other workers continue without it`,
      );
    }
    this.#advance();
  }

  #sendStatus(event?: SyncEvent, workers: Iterable<WorkerPeer> = this.#workers.keys()): void {
    const { index: source } = this.#options;
    for (const worker of workers) {
      worker.send({ kind: "status", source, status: this.#status(), event });
    }
  }

  #status(): SyncStatus {
    const { snapshot, lastFetchAtMs, lastUpdateAtMs, origin, isLive, fall } = this.#source;
    const failure = this.#options.source.lastFailure();
    const revision = this.#update?.revision;
    if (snapshot?.revision === revision) this.#confirmedAtMs = this.#source.confirmedAtMs;
    const atMs = this.#confirmedAtMs;
    const ageMs = atMs === undefined ? undefined : performance.now() - atMs;
    return { lastFetchAtMs, lastUpdateAtMs, origin, isLive, fall, failure, revision, ageMs };
  }
}
