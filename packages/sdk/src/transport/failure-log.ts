import { describeCount } from "../describe-count.ts";
import type { UpstreamError } from "./upstream-error.ts";

/** Receives errors, warnings and failed calls; a client emits each as the event of the same name. */
export interface EventSink {
  readonly error: (error: Error) => void;
  readonly warn: (message: string) => void;
  /** Receives every failed call: for counting. */
  readonly failure: (error: UpstreamError) => void;
}

/** While some of several upstreams behind one address are behind, calls fail and succeed in turn. */
const OLDER_LOGGED_MS = 600_000;

/**
 * Logs the failures of one kind of call: each kind of failure once per outage, and the recovery.
 * Transient failures are logged as warnings, all others as errors.
 */
export class FailureLog {
  readonly #subject: string;
  readonly #events: EventSink;
  readonly #loggedKinds = new Set<string>();
  #consecutiveFailures = 0;
  #olderLoggedAtMs = -Infinity;

  /** @param subject what the calls do, as the start of a sentence: "Fetching flags" */
  constructor(subject: string, events: EventSink) {
    this.#subject = subject;
    this.#events = events;
  }

  get consecutiveFailures(): number {
    return this.#consecutiveFailures;
  }

  failed(error: UpstreamError): void {
    if (error.code === "OLDER") {
      this.#ignoredOlder(error);
      return;
    }
    this.#consecutiveFailures += 1;
    if (error.code !== "FILE") this.#events.failure(error);
    if (this.#loggedKinds.has(error.kind)) return;
    this.#loggedKinds.add(error.kind);
    const message = `${this.#subject} failed: ${error.message}`;
    if (error.isTransient) this.#events.warn(message);
    else this.#events.error(new Error(message, { cause: error }));
  }

  /** The upstream works, so this neither begins nor ends an outage. */
  #ignoredOlder(error: UpstreamError): void {
    this.#events.failure(error);
    const nowMs = performance.now();
    if (nowMs - this.#olderLoggedAtMs < OLDER_LOGGED_MS) return;
    this.#olderLoggedAtMs = nowMs;
    this.#events.warn(error.message);
  }

  succeeded(): void {
    const failures = this.#consecutiveFailures;
    if (failures > 0) {
      const attempts = describeCount(failures, "failed attempt");
      this.#events.warn(`${this.#subject} works again after ${attempts}`);
    }
    this.#consecutiveFailures = 0;
    this.#loggedKinds.clear();
  }
}
