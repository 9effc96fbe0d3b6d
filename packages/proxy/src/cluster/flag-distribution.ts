import type { FlagSource } from "../upstream/flag-source.ts";
import {
  type ConfirmedFlags,
  type FlagUpdate,
  type SyncStatus,
  toSyncStatus,
} from "./flag-replica.ts";
import type { Logger } from "flags-server-kit";
import type { Source } from "../sources.ts";
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
  /** Called once for each worker, when it no longer has to wait for this source before it listens. */
  readonly onReady: (worker: WorkerPeer) => void;
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
  readonly #ready = new WeakSet<WorkerPeer>();
  /** Workers that have received flags and have not loaded them yet. */
  readonly #loading = new WeakSet<WorkerPeer>();
  /** NOTE: the last messages of a worker may arrive after its exit. */
  readonly #exited = new WeakSet<WorkerPeer>();
  #round: Round | undefined;
  /** The update of the current or the last round. */
  #update: FlagUpdate | undefined;
  /** The flags of that update. The source may have later ones, which it has confirmed later. */
  #confirmed: ConfirmedFlags = { revision: undefined, confirmedAtMs: undefined };

  constructor(options: DistributionOptions) {
    this.#options = options;
    const { flags, onFailure } = options.source;
    this.#source = flags;
    flags.on("changed", () => this.#startNextRound());
    flags.on("unchanged", () => this.#sendUnchanged());
    const sendStatus = (): void => this.#workers.forEach((worker) => this.#sendStatus(worker));
    flags.on("live", sendStatus);
    flags.on("fall", sendStatus);
    onFailure(sendStatus);
  }

  /** Adds a worker. It listens immediately, or as soon as it has the flags of the other workers. */
  join(worker: WorkerPeer): void {
    if (this.#exited.has(worker)) return;
    this.#workers.add(worker);
    if (this.#options.source.lastFailure() !== undefined) this.#sendStatus(worker);
    if (this.#round !== undefined) this.#sendFlags(worker, this.#round);
    else if (this.#update !== undefined) this.#startRound(this.#update, [worker]);
    else this.#reportReady(worker);
  }

  /** Records that a worker has loaded the flags of a revision. */
  loaded(worker: WorkerPeer, revision: string): void {
    this.#loading.delete(worker);
    if (revision !== this.#update?.revision) {
      this.join(worker);
      return;
    }
    if (this.#round === undefined) {
      this.#publish(worker);
      return;
    }
    this.#round.waitingFor.delete(worker);
    this.#round.loaded.add(worker);
    this.#endIfComplete(this.#round);
  }

  /** Records the exit of a worker. */
  leave(worker: WorkerPeer): void {
    this.#exited.add(worker);
    this.#workers.delete(worker);
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
    const { revision } = snapshot;
    this.#update = { revision, text: JSON.stringify(definitions) };
    this.#confirmed = { revision, confirmedAtMs };
    this.#startRound(this.#update, this.#workers);
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
    for (const worker of loaded) this.#publish(worker);
    this.#startNextRound();
  }

  #publish(worker: WorkerPeer): void {
    const { index: source } = this.#options;
    worker.send({ kind: "publish", source, status: this.#status() });
    this.#reportReady(worker);
  }

  #reportReady(worker: WorkerPeer): void {
    if (this.#ready.has(worker)) return;
    this.#ready.add(worker);
    this.#options.onReady(worker);
  }

  #status(): SyncStatus {
    const { snapshot, confirmedAtMs } = this.#source;
    const { revision } = this.#confirmed;
    if (snapshot?.revision === revision) this.#confirmed = { revision, confirmedAtMs };
    return toSyncStatus(this.#source, this.#confirmed);
  }

  #sendStatus(worker: WorkerPeer): void {
    const { source, index } = this.#options;
    worker.send({
      kind: "status",
      source: index,
      status: this.#status(),
      failure: source.lastFailure(),
    });
  }

  #sendUnchanged(): void {
    for (const worker of this.#workers) {
      worker.send({
        kind: "unchanged",
        source: this.#options.index,
        status: this.#status(),
      });
    }
  }
}
