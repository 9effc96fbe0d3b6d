import type { FlagSource, FlagUpdate, SyncTimestamps } from "flags-sdk";
import type { Logger } from "flags-server-kit";
import type { WorkerPeer } from "./worker-peer.ts";

/** A worker that takes longer to load flags is not waited for. */
const LOAD_LIMIT_MS = 10_000;

/** An update on its way to the workers. */
interface Round {
  readonly update: FlagUpdate;
  readonly waitingFor: Set<WorkerPeer>;
  readonly loaded: Set<WorkerPeer>;
  readonly limit: NodeJS.Timeout;
}

/**
 * Brings the flags of the source to the workers, in rounds: all load an update, and when the last
 * one has, all put it in force. So the connection that a client happens to use makes no difference,
 * neither to what it is answered nor to whether the proxy is ready. What changes during a round goes
 * into the next one. A worker has one update before it at most, however slow it is.
 */
export class FlagDistribution {
  readonly #source: FlagSource;
  readonly #logger: Logger;
  readonly #workers = new Set<WorkerPeer>();
  readonly #listening = new WeakSet<WorkerPeer>();
  /** Who was handed flags and has not loaded them yet. */
  readonly #loading = new WeakSet<WorkerPeer>();
  /** NOTE: what a worker said last may be heard after its end. */
  readonly #ended = new WeakSet<WorkerPeer>();
  #round: Round | undefined;
  /** What was brought to the workers last. */
  #update: FlagUpdate | undefined;

  constructor(source: FlagSource, logger: Logger) {
    this.#source = source;
    this.#logger = logger;
    source.on("changed", () => this.#advance());
    source.on("unchanged", () => this.#tellUnchanged());
  }

  /** Takes up a worker. It may listen at once, or as soon as it has the flags that others have. */
  join(worker: WorkerPeer): void {
    if (this.#ended.has(worker)) return;
    this.#workers.add(worker);
    if (this.#round !== undefined) this.#hand(worker, this.#round);
    else if (this.#update !== undefined) this.#begin(this.#update, [worker]);
    else this.#letListen(worker);
  }

  /** A worker has loaded the flags of a revision. */
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
    this.#endWhenDone(this.#round);
  }

  /** A worker has ended. */
  leave(worker: WorkerPeer): void {
    this.#ended.add(worker);
    this.#workers.delete(worker);
    if (this.#round === undefined) return;
    this.#round.waitingFor.delete(worker);
    this.#round.loaded.delete(worker);
    this.#endWhenDone(this.#round);
  }

  /** Ends what is under way. */
  close(): void {
    clearTimeout(this.#round?.limit);
    this.#round = undefined;
  }

  /** Begins a round if the source has something new and no round is under way. */
  #advance(): void {
    const { snapshot, definitions } = this.#source;
    if (this.#round !== undefined || snapshot === undefined) return;
    if (snapshot.revision === this.#update?.revision) return;
    this.#update = { revision: snapshot.revision, text: JSON.stringify(definitions) };
    this.#begin(this.#update, this.#workers);
  }

  #begin(update: FlagUpdate, workers: Iterable<WorkerPeer>): void {
    const limit = setTimeout(() => this.#giveUp(), LOAD_LIMIT_MS);
    this.#round = { update, waitingFor: new Set(), loaded: new Set(), limit };
    for (const worker of workers) this.#hand(worker, this.#round);
    this.#endWhenDone(this.#round);
  }

  #hand(worker: WorkerPeer, { update, waitingFor }: Round): void {
    // Updates must not pile up before a worker that does not get on.
    if (this.#loading.has(worker)) return;
    this.#loading.add(worker);
    waitingFor.add(worker);
    worker.send({ kind: "flags", ...update });
  }

  #giveUp(): void {
    if (this.#round === undefined) return;
    for (const { name } of this.#round.waitingFor) {
      this.#logger.warn(`${name} is slow to load new flags: the other workers go ahead`);
    }
    this.#round.waitingFor.clear();
    this.#endWhenDone(this.#round);
  }

  #endWhenDone({ waitingFor, loaded, limit }: Round): void {
    if (waitingFor.size > 0) return;
    clearTimeout(limit);
    this.#round = undefined;
    for (const worker of loaded) this.#publish(worker);
    this.#advance();
  }

  #publish(worker: WorkerPeer): void {
    worker.send({ kind: "publish", timestamps: this.#timestamps });
    this.#letListen(worker);
  }

  #letListen(worker: WorkerPeer): void {
    if (this.#listening.has(worker)) return;
    this.#listening.add(worker);
    worker.send({ kind: "listen" });
  }

  #tellUnchanged(): void {
    for (const worker of this.#workers) {
      worker.send({ kind: "unchanged", timestamps: this.#timestamps });
    }
  }

  get #timestamps(): SyncTimestamps {
    const { lastFetchAtMs, lastUpdateAtMs } = this.#source;
    return { lastFetchAtMs, lastUpdateAtMs };
  }
}
