import type { WorkerPeer } from "./worker-peer.ts";

const BEATS_PER_TIMEOUT = 5;

/** Loading the program and the files of the operator may block a worker for longer than work does. */
const START_TIMEOUTS = 4;

/** A worker as the heartbeat sees it. */
export interface MonitoredWorker extends WorkerPeer {
  /** False while the worker starts. */
  readonly isListening: boolean;
}

export interface HeartbeatOptions<Peer extends MonitoredWorker> {
  /** For how long a worker may not respond, in milliseconds; four times as long while it starts. */
  readonly timeoutMs: number;
  /** Called once for a worker that has not responded in time. */
  readonly onUnresponsive: (worker: Peer) => void;
}

/**
 * Detects workers that no longer respond: each gets a `ping` with every beat, and any message of it
 * counts as a response.
 *
 * Time is counted in beats of this process, not by the clock: a beat during which this process did
 * not run either (a suspended machine, SIGSTOP to the whole process group, a blocked event loop) is
 * one beat, however long it lasted. So no worker is killed for a pause of the primary process.
 */
export class Heartbeat<Peer extends MonitoredWorker> {
  readonly #onUnresponsive: HeartbeatOptions<Peer>["onUnresponsive"];
  /** Pings to each worker since its latest message. */
  readonly #unanswered = new Map<Peer, number>();
  readonly #timer: NodeJS.Timeout;

  constructor({ timeoutMs, onUnresponsive }: HeartbeatOptions<Peer>) {
    this.#onUnresponsive = onUnresponsive;
    this.#timer = setInterval(() => this.#beat(), timeoutMs / BEATS_PER_TIMEOUT);
  }

  add(worker: Peer): void {
    this.#unanswered.set(worker, 0);
  }

  remove(worker: Peer): void {
    this.#unanswered.delete(worker);
  }

  /** Records that a message of a worker has arrived. */
  responded(worker: Peer): void {
    if (this.#unanswered.has(worker)) this.#unanswered.set(worker, 0);
  }

  /** Stops monitoring. */
  close(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    for (const [worker, unanswered] of this.#unanswered) {
      const timeouts = worker.isListening ? 1 : START_TIMEOUTS;
      if (unanswered < BEATS_PER_TIMEOUT * timeouts) {
        // NOTE: with every beat, as Node drops messages that arrive before the worker listens to them.
        this.#unanswered.set(worker, unanswered + 1);
        worker.send({ kind: "ping" });
      } else {
        this.remove(worker);
        this.#onUnresponsive(worker);
      }
    }
  }
}
