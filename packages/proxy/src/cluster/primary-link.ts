import cluster, { type Worker } from "node:cluster";
import { StartError } from "flags-server-kit";
import type { KindToWorker, MessageToWorker, ToPrimary, ToWorker } from "./messages.ts";

/** What is done with the messages of each kind. */
type Handlers = { readonly [Kind in KindToWorker]?: (message: MessageToWorker<Kind>) => void };

/** A worker's connection to the primary process. */
export class PrimaryLink {
  readonly #worker: Worker;

  constructor(worker: Worker) {
    this.#worker = worker;
    // Here, and not where the worker serves: it has to respond while it starts as well.
    this.handle({ ping: () => void this.send({ kind: "pong" }) });
  }

  /** Who this worker is. */
  get worker(): { readonly id: number } {
    return { id: this.#worker.id };
  }

  /** Resolves when the message has left this process. */
  send(message: ToPrimary): Promise<void> {
    return new Promise((resolve) => {
      // NOTE: it fails when the primary process is gone, and then this one is about to end too.
      this.#worker.send(message, () => resolve());
    });
  }

  /** Resolves to the next message of a kind. */
  next<Kind extends KindToWorker>(kind: Kind): Promise<MessageToWorker<Kind>> {
    return new Promise((resolve) => {
      const onMessage = (message: ToWorker): void => {
        if (message.kind !== kind) return;
        this.#worker.off("message", onMessage);
        resolve(message as MessageToWorker<Kind>);
      };
      this.#worker.on("message", onMessage);
    });
  }

  /** Has every message of these kinds handled. */
  handle(handlers: Handlers): void {
    this.#worker.on("message", (message: ToWorker) => {
      const handler = handlers[message.kind] as ((message: ToWorker) => void) | undefined;
      handler?.(message);
    });
  }
}

/** @throws {StartError} in a process that nobody started as a worker */
export function openPrimaryLink(): PrimaryLink {
  if (cluster.worker === undefined) {
    throw new StartError("Workers are started by flags-proxy: set FLAGS_PROXY_WORKERS");
  }
  return new PrimaryLink(cluster.worker);
}
