import { Deadline, describeCause, describeCount } from "flags-sdk/neutral";
import type { Logger } from "flags-server-kit/neutral";
import type { FlagExchange } from "../upstream/sharing/flag-exchange.ts";
import type { SourceIdentity } from "./source-identity.ts";
import type { Store, StoreConfig } from "./store.ts";

type StoreOperation = "read" | "write" | "remove";

/** `missing`: a read found no document. */
type StoreResult = "success" | "missing" | "failure" | "timeout";

interface OperationCount {
  readonly operation: StoreOperation;
  readonly result: StoreResult;
  readonly count: number;
}

/** Maximum times: enough for a large document on a slow connection. A busy disk can take seconds to write. */
const TIMEOUTS_MS: Readonly<Record<StoreOperation, number>> = {
  read: 5000,
  write: 15_000,
  remove: 5000,
};

const VERBS: Readonly<Record<StoreOperation, readonly [string, string]>> = {
  read: ["Reading", "from"],
  write: ["Writing", "to"],
  remove: ["Deleting", "from"],
};

interface GuardedStoreOptions {
  /** The address for messages, without credentials. */
  readonly address: string;
  readonly open: () => Promise<Store>;
  readonly logger: Pick<Logger, "warn">;
  /** What the store contains, for messages. @default not named */
  readonly content?: string | undefined;
  /** Maximum time for one operation. @default 5 seconds, 15 for a write */
  readonly timeoutMs?: number;
}

/**
 * A store whose operations take a limited time, are counted, and log failures once per outage. The first operation opens
 * it; if that fails, the next one tries again.
 */
export class GuardedStore implements Store {
  readonly address: string;
  readonly #options: GuardedStoreOptions;
  readonly #counts = new Map<string, OperationCount>();
  /** Consecutive ones. */
  readonly #failures = new Map<StoreOperation, number>();
  #opening: Promise<Store> | undefined;

  constructor(options: GuardedStoreOptions) {
    this.address = options.address;
    this.#options = options;
  }

  get operations(): Iterable<OperationCount> {
    return this.#counts.values();
  }

  read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#run("read", signal, (store, limited) => store.read(key, limited));
  }

  write(key: string, content: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#run("write", signal, (store, limited) => store.write(key, content, limited));
  }

  remove(key: string, signal: AbortSignal): Promise<void> {
    return this.#run("remove", signal, (store, limited) => store.remove(key, limited));
  }

  /** Returns the exchange of a source; rejects if the store cannot be opened. */
  async openExchange(source: SourceIdentity): Promise<FlagExchange> {
    const exchange = (await this.open()).createExchange?.(source);
    if (exchange === undefined) throw new Error("This store cannot coordinate replicas");
    return exchange;
  }

  /** Closes the store, even while operations are pending: callers abort theirs first. */
  async close(): Promise<void> {
    const store = await this.#opening?.catch(() => undefined);
    await store?.close();
  }

  /** Rejects if the code of the store cannot be loaded. */
  open(): Promise<Store> {
    this.#opening ??= this.#options.open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #run<T>(
    operation: StoreOperation,
    signal: AbortSignal,
    work: (store: Store, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const deadline = new Deadline(signal, this.#options.timeoutMs ?? TIMEOUTS_MS[operation]);
    try {
      const result = await deadline.race(this.open().then((store) => work(store, deadline.signal)));
      this.#succeeded(operation);
      this.#count(operation, operation === "read" && result === undefined ? "missing" : "success");
      return result;
    } catch (error) {
      if (!signal.aborted) {
        this.#failed(operation, error);
        this.#count(operation, deadline.isExpired ? "timeout" : "failure");
      }
      throw error;
    } finally {
      deadline.clear();
    }
  }

  #count(operation: StoreOperation, result: StoreResult): void {
    const id = `${operation} ${result}`;
    const count = (this.#counts.get(id)?.count ?? 0) + 1;
    this.#counts.set(id, { operation, result, count });
  }

  #failed(operation: StoreOperation, error: unknown): void {
    const failures = (this.#failures.get(operation) ?? 0) + 1;
    this.#failures.set(operation, failures);
    if (failures > 1) return;
    this.#options.logger.warn(
      `${this.#describe(operation)} the store ${this.address} failed: ${describeCause(error)}`,
    );
  }

  #succeeded(operation: StoreOperation): void {
    const failures = this.#failures.get(operation) ?? 0;
    this.#failures.delete(operation);
    if (failures === 0) return;
    this.#options.logger.warn(
      `${this.#describe(operation)} the store ${this.address} works again after ${describeCount(failures, "failed attempt")}`,
    );
  }

  #describe(operation: StoreOperation): string {
    const [verb, preposition] = VERBS[operation];
    const { content } = this.#options;
    return `${verb} ${content === undefined ? "" : `${content} `}${preposition}`;
  }
}

/**
 * Creates the configured store, which the first operation opens.
 *
 * @param content what the store contains, for messages. @default not named
 */
export function createStore(
  { address, access }: StoreConfig,
  logger: Pick<Logger, "warn">,
  content?: string,
): GuardedStore {
  return new GuardedStore({
    address: address.text,
    open: () => address.open(access),
    logger,
    content,
  });
}
