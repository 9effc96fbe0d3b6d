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
 * Detects workers that no longer respond, by a `ping` that every worker has to answer.
 *
 * Time is counted in beats of this process, not by the clock: a beat during which this process did
 * not run either (a suspended machine, SIGSTOP to the whole process group, a blocked event loop) is
 * one beat, however long it lasted. So nobody is blamed for a pause of the primary process.
 */
export class Heartbeat<Peer extends MonitoredWorker> {
  readonly #onUnresponsive: HeartbeatOptions<Peer>["onUnresponsive"];
  /** Beats since the ping that a worker has not answered; undefined when it has answered. */
  readonly #missedBeats = new Map<Peer, number | undefined>();
  readonly #timer: NodeJS.Timeout;

  constructor({ timeoutMs, onUnresponsive }: HeartbeatOptions<Peer>) {
    this.#onUnresponsive = onUnresponsive;
    this.#timer = setInterval(() => this.#beat(), timeoutMs / BEATS_PER_TIMEOUT);
  }

  add(worker: Peer): void {
    this.#missedBeats.set(worker, undefined);
  }

  remove(worker: Peer): void {
    this.#missedBeats.delete(worker);
  }

  /** Records that a worker has answered a ping. */
  responded(worker: Peer): void {
    if (this.#missedBeats.has(worker)) this.#missedBeats.set(worker, undefined);
  }

  /** Stops monitoring. */
  close(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    for (const [worker, missed] of this.#missedBeats) {
      if (missed === undefined) {
        // One ping at a time: more would pile up in the channel of a worker that hangs.
        this.#missedBeats.set(worker, 0);
        worker.send({ kind: "ping" });
      } else {
        this.#miss(worker, missed + 1);
      }
    }
  }

  #miss(worker: Peer, missed: number): void {
    this.#missedBeats.set(worker, missed);
    const timeouts = worker.isListening ? 1 : START_TIMEOUTS;
    if (missed < BEATS_PER_TIMEOUT * timeouts) return;
    this.remove(worker);
    this.#onUnresponsive(worker);
  }
}
