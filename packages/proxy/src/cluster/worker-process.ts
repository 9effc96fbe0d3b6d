import type { ChildProcess } from "node:child_process";
import type { Worker } from "node:cluster";
import { StartError } from "flags-server-kit";
import type { MonitoredWorker } from "./heartbeat.ts";
import type { ToPrimary, ToWorker } from "./messages.ts";

export class WorkerProcess implements MonitoredWorker {
  readonly name: string;
  /** Resolves to the worker's addresses; rejects if it exits before it listens. */
  readonly listening: Promise<string>;
  /** Resolves to the exit reason, for example `was killed by SIGKILL`. */
  readonly exited: Promise<string>;
  readonly #worker: Worker;
  #listeningSinceMs: number | undefined;
  #hasExited = false;
  #failure: string | undefined;
  #killReason: string | undefined;

  constructor(worker: Worker, onMessage: (from: WorkerProcess, message: ToPrimary) => void) {
    this.#worker = worker;
    closeLostConnections(worker);
    this.name = `Worker ${worker.id} (process ${worker.process.pid ?? "none"})`;
    this.exited = waitForExit(worker).then((reason) => this.#explain(reason));
    this.listening = new Promise((resolve, reject) => {
      worker.on("message", (message: ToPrimary) => {
        // NOTE: the last messages of a worker may arrive after its exit.
        if (this.#hasExited) return;
        if (message.kind === "failed") this.#failure = message.reason;
        if (message.kind === "listening") {
          this.#listeningSinceMs ??= performance.now();
          resolve(message.addresses);
        }
        onMessage(this, message);
      });
      void this.exited.then((reason) => {
        this.#hasExited = true;
        reject(new StartError(this.#failure ?? `${this.name} ${reason} before it listened`));
      });
    });
  }

  get isListening(): boolean {
    return this.#listeningSinceMs !== undefined;
  }

  /** 0 before it listens. */
  get servedMs(): number {
    return this.#listeningSinceMs === undefined ? 0 : performance.now() - this.#listeningSinceMs;
  }

  send(message: ToWorker): void {
    // NOTE: without a callback, a message to a worker that has just exited causes an error event.
    if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }

  /** Stops the worker after `delayMs` and its requests in progress. Kills a worker that does not listen yet. */
  stop(delayMs: number): void {
    if (this.isListening) this.send({ kind: "stop", delayMs });
    else this.kill();
  }

  /** @param reason replaces the exit reason, for example `did not respond, and was killed` */
  kill(reason?: string): void {
    this.#killReason ??= reason;
    this.#worker.process.kill("SIGKILL");
  }

  #explain(reason: string): string {
    if (this.#killReason !== undefined) return this.#killReason;
    if (this.#failure === undefined) return reason;
    return `cannot start (${this.#failure.replaceAll(/\s*\n\s*/g, " ")})`;
  }
}

/**
 * NOTE: does not use the `disconnect` event, which is not emitted for a process that is killed while
 * it receives a connection.
 */
function waitForExit(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    worker.once("exit", (code: number, signal: string | null) => {
      resolve(signal === null ? `exited with code ${code}` : `was killed by ${signal}`);
    });
    worker.on("error", (error) => {
      // Other errors are about a running process, which will emit `exit`.
      if (worker.process.pid === undefined) resolve(`could not be started (${error.message})`);
    });
  });
}

/** The message with which node:cluster sends a connection to a worker. Private to Node. */
interface ConnectionMessage {
  readonly act?: string;
  readonly seq?: number;
}

/**
 * Closes the connection that was on its way to a worker when it exited. node:cluster leaves it open, so that its client
 * would wait forever (nodejs/node-v0.x-archive#7006).
 *
 * node:cluster sends through `worker.process`, so this replaces it with an object that inherits from the
 * real process and records the connections it sends.
 *
 * NOTE: no documented API shows these connections. If a version of Node uses other messages, this does
 * nothing, and a test fails.
 */
function closeLostConnections(worker: Worker): void {
  const child = worker.process;
  const pending = new Map<number | undefined, { close(): void }>();
  const send = (...sent: Parameters<ChildProcess["send"]>): boolean => {
    const [message, connection] = sent as unknown as [ConnectionMessage, { close(): void }];
    if (message.act === "newconn") pending.set(message.seq, connection);
    return child.send(...sent);
  };
  worker.process = Object.create(child, { send: { value: send } }) as ChildProcess;
  child.on("internalMessage", ({ ack }: { readonly ack?: number }) => pending.delete(ack));
  worker.once("exit", () => {
    for (const connection of pending.values()) connection.close();
  });
}
