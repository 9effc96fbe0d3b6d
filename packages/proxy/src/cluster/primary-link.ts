import cluster, { type Worker } from "node:cluster";
import { StartError } from "flags-server-kit";
import type { MessageToWorker, ToPrimary, ToWorker } from "./messages.ts";
import type { PrimaryFunctions } from "./primary-functions.ts";

type Kind = ToWorker["kind"];

type Handlers = { readonly [K in Kind]?: (message: MessageToWorker<K>) => void };

type Result<Name extends keyof PrimaryFunctions> = Awaited<ReturnType<PrimaryFunctions[Name]>>;

/** A worker's connection to the primary process. */
export class PrimaryLink {
  readonly #worker: Worker;
  readonly #calls = new Map<number, (result: unknown) => void>();
  #lastId = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.handle({
      // Here, and not in worker.ts, because a worker must also respond while it starts.
      ping: () => void this.send({ kind: "pong" }),
      result: ({ id, result }) => {
        this.#calls.get(id)?.(result);
        this.#calls.delete(id);
      },
    });
  }

  get worker(): { readonly id: number } {
    return { id: this.#worker.id };
  }

  send(message: ToPrimary): Promise<void> {
    return new Promise((resolve) => {
      // NOTE: fails if the primary process has ended, and then Node ends this process as well.
      this.#worker.send(message, () => resolve());
    });
  }

  /** Calls a function of the primary process. Resolves to its result; to undefined if it has failed. */
  call<Name extends keyof PrimaryFunctions>(
    name: Name,
    ...args: Parameters<PrimaryFunctions[Name]>
  ): Promise<Result<Name> | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#calls.set(id, resolve as (result: unknown) => void);
      void this.send({ kind: "call", id, name, args });
    });
  }

  next<K extends Kind>(kind: K): Promise<MessageToWorker<K>> {
    return new Promise((resolve) => this.handle({ [kind]: resolve }));
  }

  handle(handlers: Handlers): void {
    this.#worker.on("message", (message: ToWorker) => {
      const handler = handlers[message.kind] as ((message: ToWorker) => void) | undefined;
      handler?.(message);
    });
  }
}

/** @throws {StartError} if the primary process did not start this process */
export function openPrimaryLink(): PrimaryLink {
  if (cluster.worker === undefined) {
    throw new StartError("Workers are started by flags-proxy: set FLAGS_PROXY_WORKERS");
  }
  return new PrimaryLink(cluster.worker);
}
