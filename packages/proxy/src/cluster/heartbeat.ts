import type { WorkerPeer } from "./messages.ts";

const PINGS_PER_TIMEOUT = 5;

/** Loading the program and extension files can block a starting worker for a long time. */
const START_TIMEOUTS = 4;

export interface MonitoredWorker extends WorkerPeer {
  /** False while the worker starts. */
  readonly isListening: boolean;
}

/**
 * Detects workers that do not respond to pings; any message is a response.
 *
 * Counts its own intervals instead of reading the clock, so that no worker is killed because this process was suspended
 * or blocked.
 */
export class Heartbeat<Peer extends MonitoredWorker> {
  readonly #onUnresponsive: (worker: Peer) => void;
  /** Since the latest message of each worker. */
  readonly #pendingPings = new Map<Peer, number>();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param timeoutMs time after which a worker is unresponsive; four times as long while it starts
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

  responded(worker: Peer): void {
    if (this.#pendingPings.has(worker)) this.#pendingPings.set(worker, 0);
  }

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
