import type { WorkerPeer } from "./messages.ts";

const PINGS_PER_TIMEOUT = 5;

/** Loading the program and extension files can block a starting worker for a long time. */
const START_TIMEOUTS = 4;

/** A worker that a heartbeat monitors. */
export interface MonitoredWorker extends WorkerPeer {
  /** False while the worker starts. */
  readonly isListening: boolean;
}

/**
 * Detects unresponsive workers: sends a `ping` to each worker at intervals, and accepts any message
 * as a response.
 *
 * Counts its own intervals instead of reading the clock: an interval during which this process did not
 * run either (a suspended machine, SIGSTOP to the whole process group, a blocked event loop) counts as
 * one, however long it lasted. So no worker is killed because the primary process paused.
 */
export class Heartbeat<Peer extends MonitoredWorker> {
  readonly #onUnresponsive: (worker: Peer) => void;
  /** Number of pings sent to each worker since its latest message. */
  readonly #pendingPings = new Map<Peer, number>();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param timeoutMs time after which a worker is unresponsive; four times as long while it starts
   * @param onUnresponsive called once for each unresponsive worker
   */
  constructor(timeoutMs: number, onUnresponsive: (worker: Peer) => void) {
    this.#onUnresponsive = onUnresponsive;
    this.#timer = setInterval(() => this.#pingAll(), timeoutMs / PINGS_PER_TIMEOUT);
  }

  add(worker: Peer): void {
    this.#pendingPings.set(worker, 0);
  }

  remove(worker: Peer): void {
    this.#pendingPings.delete(worker);
  }

  /** Records a message from a worker. */
  responded(worker: Peer): void {
    if (this.#pendingPings.has(worker)) this.#pendingPings.set(worker, 0);
  }

  /** Stops monitoring. */
  close(): void {
    clearInterval(this.#timer);
  }

  #pingAll(): void {
    for (const [worker, pendingPings] of this.#pendingPings) {
      const timeouts = worker.isListening ? 1 : START_TIMEOUTS;
      if (pendingPings < PINGS_PER_TIMEOUT * timeouts) {
        // NOTE: at every interval, since Node drops messages to a worker that has no listener yet.
        this.#pendingPings.set(worker, pendingPings + 1);
        worker.send({ kind: "ping" });
      } else {
        this.remove(worker);
        this.#onUnresponsive(worker);
      }
    }
  }
}
