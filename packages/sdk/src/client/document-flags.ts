import type { CustomStrategy, Snapshot } from "flags-engine";
import { ClientEventTarget } from "../events.ts";
import type {
  BeforeChangeHook,
  FeatureDefinitions,
  FlagFall,
  FlagOrigin,
  SyncedFlags,
} from "../synced-flags.ts";
import { TimeSlicer } from "../scheduling/time-slicer.ts";
import { Compiler } from "../sync/compiler.ts";
import { filterDocuments } from "../sync/filter-documents.ts";
import { FlagState } from "../sync/flag-state.ts";
import { FlagUpdater } from "../sync/flag-updater.ts";
import { confirmedNow } from "../transport/confirmation.ts";
import type { SyncSink } from "../sync/synchronizer.ts";

export interface DocumentFlagsOptions {
  /** Where the documents come from. */
  readonly origin: FlagOrigin;
  readonly strategies: readonly CustomStrategy[];
  /** Only flags of this project are used. @default all */
  readonly projectName?: string | undefined;
  /** Only flags whose names start with this prefix are used. @default all */
  readonly namePrefix?: string | undefined;
}

const ignore = (): void => undefined;

/** Flags whose documents are not from an upstream: a subclass reads them, and follows their changes. */
export abstract class DocumentFlags extends ClientEventTarget implements SyncedFlags {
  readonly #origin: FlagOrigin;
  readonly #compiler: Compiler;
  readonly #state: FlagState;
  readonly #updater: FlagUpdater;
  readonly #sink: SyncSink;
  readonly #closing = new AbortController();

  constructor({ origin, strategies, projectName, namePrefix }: DocumentFlagsOptions) {
    super();
    const { emitter } = this;
    this.#origin = origin;
    this.#compiler = new Compiler(strategies, emitter);
    this.#state = new FlagState({ bootstrapOverrides: true, compiler: this.#compiler });
    this.#updater = new FlagUpdater({
      state: this.#state,
      emitter,
      save: ignore,
      now: Date.now,
      slicer: new TimeSlicer(),
    });
    const filters = { projectName, namePrefix, tags: [] };
    this.#sink = filterDocuments(this.#updater, filters, ignore);
  }

  get snapshot(): Snapshot | undefined {
    return this.#state.snapshot;
  }

  get definitions(): FeatureDefinitions | undefined {
    return this.#state.definitions;
  }

  get lastFetchAtMs(): number | undefined {
    return this.#updater.lastFetchAtMs;
  }

  get lastUpdateAtMs(): number | undefined {
    return this.#updater.lastUpdateAtMs;
  }

  get origin(): FlagOrigin | undefined {
    return this.snapshot && this.#origin;
  }

  get confirmedAtMs(): number | undefined {
    return this.#updater.confirmedAtMs;
  }

  get isLive(): boolean {
    return this.#updater.isLive;
  }

  get fall(): FlagFall | undefined {
    return this.#updater.fall;
  }

  /** Starts reading documents; later calls have no effect. Never throws. */
  abstract start(): void;

  async close(): Promise<void> {
    this.#closing.abort();
  }

  beforeChange(hook: BeforeChangeHook): () => void {
    return this.#compiler.addHook(hook);
  }

  /** Replaces the flags. Rejects without changing anything if the document is unusable. */
  protected async accept(document: unknown): Promise<void> {
    await this.#sink.accept(document, this.#closing.signal, confirmedNow());
    this.#updater.setLive(true);
  }

  /** Reports that documents cannot be read. The current flags remain, and become older. */
  protected failed(error: Error): void {
    if (this.#closing.signal.aborted) return;
    // Until now, every change would have been noticed.
    if (this.isLive) this.#updater.unchanged();
    this.#updater.setLive(false);
    this.emitter.emit("error", error);
  }
}
