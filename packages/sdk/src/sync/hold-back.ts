import { isRecord } from "flags-engine";
import { abortable } from "../transport/deadline.ts";
import { confirmedNow } from "../transport/confirmation.ts";
import type { Confirmation } from "../transport/confirmation.ts";
import type { SyncSink } from "./synchronizer.ts";

/** How many more polls must confirm that there are no flags. */
const CONFIRMING_POLLS = 3;
/** How long a stream must stay open without sending flags. */
const CONFIRMING_STREAM_MS = 15_000;

interface HoldBackOptions {
  readonly sink: SyncSink;
  /** The number of current flags. */
  readonly size: () => number;
  /** Resolves once stored flags have been restored, or none could be. */
  readonly restored: () => Promise<void>;
  readonly onHeldBack: (isHeldBack: boolean) => void;
  readonly onError: (cause: unknown) => void;
  /** How long a stream must stay open. @default 15000 */
  readonly streamMs?: number;
}

interface HeldDocument {
  readonly document: unknown;
  readonly signal: AbortSignal;
  readonly confirmations: number;
}

/**
 * Holds back a document without flags that follows one with flags, until the upstream has confirmed it: the upstream
 * has probably lost its database. Only for an upstream that follows no other one: otherwise delays would add up.
 */
export class HoldBack implements SyncSink {
  readonly #options: HoldBackOptions;
  #held: HeldDocument | undefined;
  #isLive = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HoldBackOptions) {
    this.#options = options;
  }

  async accept(document: unknown, signal: AbortSignal, confirmation: Confirmation): Promise<void> {
    if (await this.#mustHold(document, signal, confirmation)) {
      this.#hold(document, signal, confirmation);
      return;
    }
    this.#clear();
    await this.#options.sink.accept(document, signal, confirmation);
  }

  unchanged(confirmation: Confirmation): void {
    if (this.#held === undefined) this.#options.sink.unchanged(confirmation);
    else this.#hold(this.#held.document, this.#held.signal, confirmation);
  }

  /** Must be called when a stream starts to deliver flags, and when it ends. */
  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (isLive) this.#startTimer();
  }

  async #mustHold(
    document: unknown,
    signal: AbortSignal,
    { isRelayed }: Confirmation,
  ): Promise<boolean> {
    if (isRelayed || !isEmpty(document)) return false;
    await abortable(this.#options.restored(), signal);
    return this.#options.size() > 0;
  }

  /** On a stream, only time counts: it confirms its flags as often as it likes. */
  #hold(document: unknown, signal: AbortSignal, confirmation: Confirmation): void {
    const known = this.#held?.confirmations;
    const confirmations = known === undefined ? 0 : known + Number(!this.#isLive);
    this.#held = { document, signal, confirmations };
    this.#options.onHeldBack(true);
    if (confirmations >= CONFIRMING_POLLS) this.#release(confirmation);
    else if (this.#isLive) this.#startTimer();
  }

  #startTimer(): void {
    if (this.#held === undefined || this.#timer !== undefined) return;
    const { streamMs = CONFIRMING_STREAM_MS } = this.#options;
    const confirmation = confirmedNow();
    this.#timer = setTimeout(() => this.#release(confirmation), streamMs).unref();
  }

  #release(confirmation: Confirmation): void {
    if (this.#held === undefined) return;
    const { document, signal } = this.#held;
    this.#clear();
    this.#options.sink.accept(document, signal, confirmation).catch((cause: unknown) => {
      if (!signal.aborted) this.#options.onError(cause);
    });
  }

  #clear(): void {
    this.#held = undefined;
    this.#options.onHeldBack(false);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Whether a document has an empty list of flags. Invalid documents are left to the parser to reject. */
export function isEmpty(document: unknown): boolean {
  const features: unknown = isRecord(document) ? document["features"] : undefined;
  return Array.isArray(features) && features.length === 0;
}
