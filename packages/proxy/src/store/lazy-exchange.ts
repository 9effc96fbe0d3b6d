import type {
  FlagExchange,
  PublishedFlags,
  SharedFlags,
  SharingRequest,
  SharingState,
} from "flags-sdk";
import type { GuardedStore } from "./guarded-store.ts";
import type { SourceIdentity } from "./source-identity.ts";

/** The exchange of a store that is opened by the first operation. */
export class LazyExchange implements FlagExchange {
  readonly #store: GuardedStore;
  readonly #source: SourceIdentity;
  #exchange: FlagExchange | undefined;

  constructor(store: GuardedStore, source: SourceIdentity) {
    this.#store = store;
    this.#source = source;
  }

  async contact(request: SharingRequest, signal: AbortSignal): Promise<SharingState> {
    return (await this.#open()).contact(request, signal);
  }

  async publish(owner: string, flags: PublishedFlags, signal: AbortSignal): Promise<boolean> {
    return (await this.#open()).publish(owner, flags, signal);
  }

  async read(signal: AbortSignal): Promise<SharedFlags | undefined> {
    return (await this.#open()).read(signal);
  }

  async release(owner: string, signal: AbortSignal): Promise<void> {
    await (await this.#open()).release(owner, signal);
  }

  onChange(listener: () => void): () => void {
    let isStopped = false;
    let stop = (): void => void (isStopped = true);
    // NOTE: if the store cannot be opened, the other operations fail with the reason.
    this.#open()
      .then((exchange) => {
        if (!isStopped) stop = exchange.onChange(listener);
      })
      .catch(() => undefined);
    return () => stop();
  }

  async #open(): Promise<FlagExchange> {
    if (this.#exchange !== undefined) return this.#exchange;
    const store = await this.#store.open();
    this.#exchange ??= store.createExchange?.(this.#source);
    if (this.#exchange === undefined) throw new Error("This store cannot coordinate replicas");
    return this.#exchange;
  }
}
