import cluster, { type Worker } from "node:cluster";
import { StartError } from "flags-server-kit";
import type { MessageToWorker, ToPrimary, ToWorker } from "./messages.ts";

type Kind = ToWorker["kind"];

type Handlers = { readonly [K in Kind]?: (message: MessageToWorker<K>) => void };

/** A worker's connection to the primary process. */
export class PrimaryLink {
  readonly #worker: Worker;

  constructor(worker: Worker) {
    this.#worker = worker;
    // Here, and not in worker.ts, because a worker must also respond while it starts.
    this.handle({ ping: () => void this.send({ kind: "pong" }) });
  }

  /** The identity of this worker. */
  get worker(): { readonly id: number } {
    return { id: this.#worker.id };
  }

  /** Resolves when the message has been written, or cannot be. */
  send(message: ToPrimary): Promise<void> {
    return new Promise((resolve) => {
      // NOTE: fails if the primary process has ended, and then Node ends this process as well.
      this.#worker.send(message, () => resolve());
    });
  }

  /** Resolves to the next message of a kind. */
  next<K extends Kind>(kind: K): Promise<MessageToWorker<K>> {
    return new Promise((resolve) => {
      const onMessage = (message: ToWorker): void => {
        if (message.kind !== kind) return;
        this.#worker.off("message", onMessage);
        resolve(message as MessageToWorker<K>);
      };
      this.#worker.on("message", onMessage);
    });
  }

  /** Calls a handler for every message of its kind. */
  handle(handlers: Handlers): void {
    this.#worker.on("message", (message: ToWorker) => {
      const handler = handlers[message.kind] as ((message: ToWorker) => void) | undefined;
      handler?.(message);
    });
  }
}

/** Requests to the primary process whose replies have not arrived yet. */
export class PendingReplies<Reply> {
  readonly #pending = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  /** Sends a request with a new id. Resolves to the reply to it. */
  request(send: (id: number) => void): Promise<Reply> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      send(id);
    });
  }

  resolve(id: number, reply: Reply): void {
    this.#pending.get(id)?.(reply);
    this.#pending.delete(id);
  }
}

/** @throws {StartError} if the primary process did not start this process */
export function openPrimaryLink(): PrimaryLink {
  if (cluster.worker === undefined) {
    throw new StartError("Workers are started by flags-proxy: set FLAGS_PROXY_WORKERS");
  }
  return new PrimaryLink(cluster.worker);
}
