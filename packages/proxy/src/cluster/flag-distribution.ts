import type { Logger } from "flags-server-kit/neutral";
import type { Source } from "../sources/sources.ts";
import type { FlagSource } from "../upstream/flag-source.ts";
import type { FlagUpdate, SyncEvent, SyncStatus } from "./flag-replica.ts";
import type { WorkerPeer } from "./messages.ts";

/** Maximum time for which a round waits for a worker to load its flags. */
const LOAD_TIMEOUT_MS = 10_000;

/** The distribution of one update. */
interface Round {
  readonly update: FlagUpdate;
  readonly waitingFor: Set<WorkerPeer>;
  readonly loaded: Set<WorkerPeer>;
  readonly timeout: NodeJS.Timeout;
}

interface DistributionOptions {
  readonly source: Source;
  /** Position of the source in the configuration. */
  readonly index: number;
  readonly logger: Logger;
}

/**
 * Distributes the flags of a source to the workers, in rounds: all workers load an update, and when
 * the last one has loaded it, all publish it. So responses, and whether the proxy is ready, do not
 * depend on which worker serves a connection. Changes during a round go into the next round. At most
 * one update is sent to a worker before it has loaded the previous one, however slow it is.
 */
export class FlagDistribution {
  readonly #options: DistributionOptions;
  readonly #source: FlagSource;
  readonly #workers = new Set<WorkerPeer>();
  /** What to call when workers that have joined publish their first flags. */
  readonly #joining = new Map<WorkerPeer, () => void>();
  /** Workers that have received flags and have not loaded them yet. */
  readonly #loading = new WeakSet<WorkerPeer>();
  #round: Round | undefined;
  /** The update of the current or the last round. */
  #update: FlagUpdate | undefined;
  /** When that update was last confirmed. The source may have a later one, which it has confirmed later. */
  #confirmedAtMs: number | undefined;

  constructor(options: DistributionOptions) {
    this.#options = options;
    const { flags, onFailure } = options.source;
    this.#source = flags;
    flags.on("changed", () => this.#startNextRound());
    flags.on("unchanged", () => this.#sendStatus("unchanged"));
    flags.on("live", () => this.#sendStatus());
    flags.on("fall", () => this.#sendStatus());
    onFailure(() => this.#sendStatus());
  }

  /** Adds a worker. Resolves when it has the flags of the other workers, immediately if there are none. */
  join(worker: WorkerPeer): Promise<void> {
    return new Promise((resolve) => {
      this.#workers.add(worker);
      if (this.#options.source.lastFailure() !== undefined) this.#sendStatus(undefined, [worker]);
      if (this.#update === undefined) resolve();
      else this.#joining.set(worker, resolve);
      this.#distributeTo(worker);
    });
  }

  /** Records that a worker has loaded the flags of a revision. */
  loaded(worker: WorkerPeer, revision: string): void {
    this.#loading.delete(worker);
    if (revision !== this.#update?.revision) {
      this.#distributeTo(worker);
      return;
    }
    if (this.#round === undefined) {
      this.#publish([worker]);
      return;
    }
    this.#round.waitingFor.delete(worker);
    this.#round.loaded.add(worker);
    this.#endIfComplete(this.#round);
  }

  /** Records the exit of a worker. */
  leave(worker: WorkerPeer): void {
    this.#workers.delete(worker);
    this.#joining.delete(worker);
    if (this.#round === undefined) return;
    this.#round.waitingFor.delete(worker);
    this.#round.loaded.delete(worker);
    this.#endIfComplete(this.#round);
  }

  /** Aborts the current round. */
  close(): void {
    clearTimeout(this.#round?.timeout);
    this.#round = undefined;
  }

  /** Starts a round if the source has changed and no round is in progress. */
  #startNextRound(): void {
    const { snapshot, definitions, confirmedAtMs } = this.#source;
    if (this.#round !== undefined || snapshot === undefined) return;
    if (snapshot.revision === this.#update?.revision) return;
    this.#update = { revision: snapshot.revision, text: JSON.stringify(definitions) };
    this.#confirmedAtMs = confirmedAtMs;
    this.#startRound(this.#update, this.#workers);
  }

  /** Sends the current update to one worker, in the current round or one of its own. */
  #distributeTo(worker: WorkerPeer): void {
    if (this.#round !== undefined) this.#sendFlags(worker, this.#round);
    else if (this.#update !== undefined) this.#startRound(this.#update, [worker]);
  }

  #startRound(update: FlagUpdate, workers: Iterable<WorkerPeer>): void {
    const timeout = setTimeout(() => this.#stopWaiting(), LOAD_TIMEOUT_MS);
    this.#round = { update, waitingFor: new Set(), loaded: new Set(), timeout };
    for (const worker of workers) this.#sendFlags(worker, this.#round);
    this.#endIfComplete(this.#round);
  }

  #sendFlags(worker: WorkerPeer, { update, waitingFor }: Round): void {
    // Updates must not accumulate in the channel to a worker that makes no progress.
    if (this.#loading.has(worker)) return;
    this.#loading.add(worker);
    waitingFor.add(worker);
    worker.send({ kind: "flags", source: this.#options.index, ...update });
  }

  #stopWaiting(): void {
    if (this.#round === undefined) return;
    for (const { name } of this.#round.waitingFor) {
      this.#options.logger.warn(
        `${name} is slow to load new flags: the other workers continue without it`,
      );
    }
    this.#round.waitingFor.clear();
    this.#endIfComplete(this.#round);
  }

  #endIfComplete({ waitingFor, loaded, timeout }: Round): void {
    if (waitingFor.size > 0) return;
    clearTimeout(timeout);
    this.#round = undefined;
    this.#publish(loaded);
    this.#startNextRound();
  }

  #publish(workers: Iterable<WorkerPeer>): void {
    for (const worker of workers) {
      this.#sendStatus("publish", [worker]);
      this.#joining.get(worker)?.();
      this.#joining.delete(worker);
    }
  }

  #sendStatus(event?: SyncEvent, workers: Iterable<WorkerPeer> = this.#workers): void {
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
