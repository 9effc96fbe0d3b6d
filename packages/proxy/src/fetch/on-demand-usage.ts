import { nextDelayMs, toUpstreamError } from "flags-sdk/neutral";
import type { Snapshot } from "flags-engine";
import { AcceptedUsage } from "../upstream/usage/accepted-usage.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
} from "../upstream/usage/application-usage.ts";
import { namesIn } from "../upstream/usage/known-names.ts";
import { UsageSender } from "../upstream/usage/usage-sender.ts";
import type { Defer } from "./fetch-info.ts";

/** Isolates have 128 MiB for everything. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A sending that takes longer has been cut off with its request. It may last for many requests to the upstream. */
const MAX_SENDING_MS = 120_000;

type SenderOptions = Omit<ConstructorParameters<typeof UsageSender>[0], "accepted">;

interface OnDemandUsageOptions extends SenderOptions {
  readonly snapshot: () => Snapshot | undefined;
  /** Minimum time between two attempts to send usage; 0: usage is not accepted for the upstream. */
  readonly intervalMs: number;
}

/** Sends usage after requests. What a failed attempt has not delivered stays. */
export class OnDemandUsage {
  readonly #options: OnDemandUsageOptions;
  readonly #accepted: AcceptedUsage;
  readonly #sender: UsageSender;
  #nextAtMs = -Infinity;
  #untilMs = -Infinity;

  constructor(options: OnDemandUsageOptions) {
    this.#options = options;
    this.#accepted = new AcceptedUsage({
      maxBytes: MAX_BYTES,
      isKnown: namesIn(options.snapshot),
      onDropped: () => {},
    });
    this.#sender = new UsageSender({ ...options, accepted: this.#accepted });
  }

  report(usage: ApplicationUsage): boolean {
    return this.#options.intervalMs === 0 || this.#accepted.add(usage);
  }

  register(registration: ApplicationRegistration): void {
    if (this.#options.intervalMs > 0) this.#accepted.register(registration);
  }

  sendIfDue(defer: Defer): void {
    const nowMs = performance.now();
    const isDue = nowMs >= this.#nextAtMs && nowMs >= this.#untilMs;
    if (isDue && !this.#accepted.isEmpty) defer(this.#send());
  }

  async #send(): Promise<void> {
    const { events, intervalMs } = this.#options;
    this.#untilMs = performance.now() + MAX_SENDING_MS;
    const error = await this.#sender
      .sendAll(AbortSignal.timeout(MAX_SENDING_MS))
      .catch((cause: unknown) => toUpstreamError(cause));
    this.#accepted.drops.logSummary(events.warn);
    const { retryAfterMs } = error ?? {};
    const failures = Math.max(1, this.#sender.failures);
    const retryMs = error && nextDelayMs({ intervalMs, failures, retryAfterMs });
    // NOTE: requests must not cause more attempts than the interval allows, although retries of a server follow quickly.
    this.#nextAtMs = performance.now() + Math.max(retryMs ?? 0, intervalMs);
    this.#untilMs = -Infinity;
  }
}
