import type { Worker } from "node:cluster";
import { StartError } from "flags-server-kit";
import { endLostConnections } from "./end-lost-connections.ts";
import type { ToPrimary, ToWorker } from "./messages.ts";
import type { MonitoredWorker } from "./heartbeat.ts";

/** One process that answers requests. */
export class WorkerProcess implements MonitoredWorker {
  readonly name: string;
  /** Resolves to its address; rejects when it ends before it listens. */
  readonly listening: Promise<string>;
  /** Resolves to what became of it when it has ended. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  /** When it began to listen, by the clock of `performance.now()`. */
  #listeningSinceMs: number | undefined;
  #failure: string | undefined;
  #killReason: string | undefined;

  constructor(worker: Worker, onMessage: (from: WorkerProcess, message: ToPrimary) => void) {
    this.#worker = worker;
    endLostConnections(worker);
    this.name = `Worker ${worker.id} (process ${worker.process.pid ?? "none"})`;
    this.ended = waitForEnd(worker).then((fate) => this.#explain(fate));
    this.listening = new Promise((resolve, reject) => {
      worker.on("message", (message: ToPrimary) => {
        if (message.kind === "failed") this.#failure = message.reason;
        if (message.kind === "listening") {
          this.#listeningSinceMs ??= performance.now();
          resolve(message.url);
        }
        onMessage(this, message);
      });
      void this.ended.then((fate) => {
        reject(new StartError(this.#failure ?? `${this.name} ${fate} before it listened`));
      });
    });
  }

  get isListening(): boolean {
    return this.#listeningSinceMs !== undefined;
  }

  /** For how long it has been serving, in milliseconds; 0 before it listens. */
  get servedMs(): number {
    return this.#listeningSinceMs === undefined ? 0 : performance.now() - this.#listeningSinceMs;
  }

  send(message: ToWorker): void {
    // NOTE: without a callback a message to a worker that just ended would be an error event.
    if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }

  /** Has it finish its requests; one that has not opened the port has none. */
  stop(): void {
    if (this.isListening) this.send({ kind: "stop" });
    else this.kill();
  }

  /** @param reason what is to be said of its end, for example `did not respond, and was killed` */
  kill(reason?: string): void {
    this.#killReason ??= reason;
    this.#worker.process.kill("SIGKILL");
  }

  #explain(fate: string): string {
    if (this.#killReason !== undefined) return this.#killReason;
    if (this.#failure === undefined) return fate;
    return `cannot work (${this.#failure.replaceAll(/\s*\n\s*/g, " ")})`;
  }
}

/**
 * NOTE: the end of the channel is no sign. It is never told of a process that was killed while it was
 * being handed a connection.
 */
function waitForEnd(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    worker.once("exit", (code: number, signal: string | null) => {
      resolve(signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`);
    });
    worker.on("error", (error) => {
      // Other errors are about a process that runs, and whose end will be told.
      if (worker.process.pid === undefined) resolve(`did not start (${error.message})`);
    });
  });
}
