import { isRecord } from "flags-engine";
import type { Confirmation } from "../transport/confirmation.ts";
import { abortable } from "../transport/deadline.ts";
import type { EventSink } from "../transport/failure-log.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import type { FlagUpdater } from "./flag-updater.ts";
import type { SyncSink } from "./synchronizer.ts";

const CONFIRMATIONS = 3;

interface HoldBackOptions {
  readonly sink: SyncSink;
  readonly updater: Pick<FlagUpdater, "setHeldBack" | "size">;
  /** Resolves once stored flags have been restored, or none could be. @default there are none */
  readonly restored?: () => Promise<void>;
  readonly events: Pick<EventSink, "error">;
}

interface HeldDocument {
  readonly document: unknown;
  readonly signal: AbortSignal;
  readonly confirmations: number;
}

/**
 * Holds back a document without flags that follows one with flags, until the upstream has confirmed it with three more
 * polls or keep-alives of a stream: it has probably lost its database. Only for an upstream that follows no other one:
 * otherwise delays would add up.
 */
export class HoldBack implements SyncSink {
  readonly #options: HoldBackOptions;
  #held: HeldDocument | undefined;

  constructor(options: HoldBackOptions) {
    this.#options = options;
  }

  async accept(document: unknown, signal: AbortSignal, confirmation: Confirmation): Promise<void> {
    const mustHold = await this.#mustHold(document, signal, confirmation);
    if (mustHold && !this.#confirm(document, signal)) return;
    this.#clear();
    await this.#options.sink.accept(document, signal, confirmation);
  }

  unchanged(confirmation: Confirmation): void {
    const { sink, events } = this.#options;
    if (this.#held === undefined) return sink.unchanged(confirmation);
    const { document, signal } = this.#held;
    if (!this.#confirm(document, signal)) return undefined;
    this.#clear();
    sink.accept(document, signal, confirmation).catch((cause: unknown) => {
      if (!signal.aborted) events.error(toUpstreamError(cause));
    });
    return undefined;
  }

  async #mustHold(
    document: unknown,
    signal: AbortSignal,
    { isRelayed }: Confirmation,
  ): Promise<boolean> {
    if (isRelayed || !isEmpty(document)) return false;
    await abortable(Promise.resolve(this.#options.restored?.()), signal);
    return this.#options.updater.size > 0;
  }

  /** Returns whether the document is confirmed often enough. */
  #confirm(document: unknown, signal: AbortSignal): boolean {
    const confirmations = (this.#held?.confirmations ?? -1) + 1;
    this.#held = { document, signal, confirmations };
    this.#options.updater.setHeldBack(true);
    return confirmations >= CONFIRMATIONS;
  }

  #clear(): void {
    this.#held = undefined;
    this.#options.updater.setHeldBack(false);
  }
}

/** Whether a document has an empty list of flags. Invalid documents are left to the parser to reject. */
export function isEmpty(document: unknown): boolean {
  const features: unknown = isRecord(document) ? document["features"] : undefined;
  return Array.isArray(features) && features.length === 0;
}
