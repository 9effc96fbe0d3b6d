import { isNotOffered } from "../transport/status-error.ts";

/** Delay before trying bulk reports again with an upstream that lacks them: it may be upgraded. */
const RETRY_MS = 600_000;

/** An entry is invalid, the token has the wrong type, or the upstream expects another format. */
const REJECTED: ReadonlySet<number | undefined> = new Set([400, 403, 422]);

/** Tracks whether the upstream accepts bulk reports: usage of many applications in one request. */
export class BulkSupport {
  readonly #environment: string | undefined;
  readonly #monotonicMs: () => number;
  #suspended: "failed" | "rejected" | undefined;
  #retryAtMs = -Infinity;

  /**
   * @param environment the environment of the API token, which bulk reports require
   * @param monotonicMs a monotonic clock, in milliseconds
   */
  constructor(environment: string | undefined, monotonicMs: () => number) {
    this.#environment = environment;
    this.#monotonicMs = monotonicMs;
  }

  /** The environment to write into bulk reports; undefined while bulk reports must not be sent. */
  get environment(): string | undefined {
    const isUsable = this.#suspended === undefined && this.#monotonicMs() >= this.#retryAtMs;
    return isUsable ? this.#environment : undefined;
  }

  /** Records a failed bulk report. Returns true if its usage should be sent separately right away. */
  failed(status: number | undefined): boolean {
    if (isNotOffered(status)) {
      this.#retryAtMs = this.#monotonicMs() + RETRY_MS;
      return true;
    }
    if (REJECTED.has(status)) this.#suspended = "rejected";
    // The upstream may fail on a single entry: that must not block the others forever.
    if (status === 500) this.#suspended ??= "failed";
    return REJECTED.has(status);
  }

  /** Records an attempt without bulk reports, and whether the upstream accepted all of the usage. */
  sentSeparately(isAccepted: boolean): void {
    // All usage was accepted separately, so the upstream rejected the bulk format itself.
    if (this.#suspended === "rejected" && isAccepted)
      this.#retryAtMs = this.#monotonicMs() + RETRY_MS;
    this.#suspended = undefined;
  }
}
