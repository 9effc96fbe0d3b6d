import { isNotOffered } from "../transport/not-offered.ts";

/** After so long an upstream that does not accept bulk reports is asked again: it may be upgraded. */
const RETRY_MS = 600_000;

/** One entry may be invalid, the token of the wrong type, or the upstream expects another format. */
const REJECTED: ReadonlySet<number | undefined> = new Set([400, 403, 422]);

/** Tracks whether the upstream accepts usage of many applications in one request. */
export class BulkSupport {
  readonly #environment: string | undefined;
  readonly #now: () => number;
  #suspended: "failed" | "rejected" | undefined;
  #retryAtMs = -Infinity;

  /** @param environment that of the API token; without it no bulk report can be written */
  constructor(environment: string | undefined, now: () => number) {
    this.#environment = environment;
    this.#now = now;
  }

  /** The environment to write into bulk reports; undefined while none may be sent. */
  get environment(): string | undefined {
    const isUsable = this.#suspended === undefined && this.#now() >= this.#retryAtMs;
    return isUsable ? this.#environment : undefined;
  }

  /** Notes that a bulk report failed. True if its usage can be sent without bulk reports at once. */
  declined(status: number | undefined): boolean {
    if (isNotOffered(status)) {
      this.#retryAtMs = this.#now() + RETRY_MS;
      return true;
    }
    if (REJECTED.has(status)) this.#suspended = "rejected";
    // One entry may be what the upstream fails on: the others must not wait for it forever.
    if (status === 500) this.#suspended ??= "failed";
    return REJECTED.has(status);
  }

  /** Notes the end of an attempt without bulk reports, and whether the upstream accepted all of it. */
  sentWithout(isAccepted: boolean): void {
    // Accepted one by one, so it was the bulk report as such that the upstream did not like.
    if (this.#suspended === "rejected" && isAccepted) this.#retryAtMs = this.#now() + RETRY_MS;
    this.#suspended = undefined;
  }
}

// A token has the form `project:environment.secret`. More than one full stop after the colon is
// ambiguous, since an environment may have one in its name.
const TOKEN = /^(?:Bearer\s+)?[^:]+:([^:.]+)\.[^:.]+$/i;

/** The environment of an API token; undefined if the token does not say so unambiguously. */
export function environmentOfToken(token: string | undefined): string | undefined {
  return TOKEN.exec(token ?? "")?.[1];
}
