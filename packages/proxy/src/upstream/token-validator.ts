import { isRecord } from "flags-engine";
import { type FlagsClientOptions, UpstreamError } from "flags-sdk";
import {
  connectUpstream,
  createConnections,
  resolveOptions,
  type UpstreamConnection,
} from "flags-sdk/internal";
import {
  type EventSink,
  FailureLog,
  nextDelayMs,
  type StatusHints,
  toUpstreamError,
  HttpClient,
} from "flags-sdk/neutral";

export interface ValidatedToken {
  /** For example `client`, `frontend` or `admin`. */
  readonly type: string;
  /** `*` for all projects. */
  readonly projects: readonly string[];
  /** Undefined if the upstream does not say: with Unleash 6, only the token contains it. */
  readonly environment?: string | undefined;
}

interface ValidatorOptions {
  /** The upstream. The token is not used: a real server rejects this call if it contains one. */
  readonly client: FlagsClientOptions;
  readonly subject: string;
  readonly events: Pick<EventSink, "error" | "warn">;
}

/** A short limit, because requests of clients wait for the response. */
const MAX_TIMEOUT_MS = 5000;

/** Determines the delay after failures: one second at first, at most 30. */
const BACKOFF_INTERVAL_MS = 3000;

const HINTS: StatusHints = new Map([
  [401, "the upstream, or a gateway in front of it, requires credentials for this address"],
  [403, "the upstream, or a gateway in front of it, does not permit this address"],
  [
    404,
    "there is no /edge/validate at this URL: check the URL, which usually ends in /api, or list the keys instead",
  ],
  [413, "the list of tokens is too long for the upstream, or a gateway in front of it"],
]);

/** Finds out which tokens are valid, with `POST /edge/validate` of the upstream. */
export class TokenValidator {
  readonly #upstream: UpstreamConnection;
  readonly #log: FailureLog;
  readonly #closing = new AbortController();
  #retryAtMs = 0;

  /** @throws {TypeError} if options are invalid */
  constructor({ client, subject, events }: ValidatorOptions) {
    const settings = resolveOptions(client);
    const { connection } = settings;
    const http = new HttpClient({
      connections: createConnections(connection),
      timeoutMs: Math.min(connection.timeoutMs, MAX_TIMEOUT_MS),
    });
    this.#upstream = connectUpstream(settings, http);
    this.#log = new FailureLog(subject, { ...events, failure: () => {} });
  }

  /** How long to wait after a failure before the next call, in milliseconds; 0 if it can be made now. */
  get waitMs(): number {
    return Math.max(0, this.#retryAtMs - performance.now());
  }

  /** @throws {UpstreamError} if there is no usable response. Each kind of failure is logged once per outage. */
  async validate(tokens: readonly string[]): Promise<ReadonlyMap<string, ValidatedToken>> {
    try {
      const { api } = this.#upstream;
      const body = await api.validateTokens(tokens, HINTS, this.#closing.signal);
      const valid = readTokens(body, tokens);
      this.#log.succeeded();
      this.#retryAtMs = 0;
      return valid;
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      if (!this.#closing.signal.aborted) this.#failed(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#upstream.http.close();
  }

  #failed(error: UpstreamError): void {
    this.#log.failed(error);
    const delayMs = nextDelayMs({
      intervalMs: BACKOFF_INTERVAL_MS,
      failures: this.#log.consecutiveFailures,
      retryAfterMs: error.retryAfterMs,
    });
    this.#retryAtMs = performance.now() + delayMs;
  }
}

function readTokens(
  body: unknown,
  requested: readonly string[],
): ReadonlyMap<string, ValidatedToken> {
  const { tokens: list }: { readonly tokens?: unknown } = isRecord(body) ? body : {};
  if (!Array.isArray(list)) {
    throw new UpstreamError("The upstream's response contains no list of tokens", {
      code: "DOCUMENT",
    });
  }
  const requestedTokens = new Set(requested);
  const seen = new Set<string>();
  const valid = new Map<string, ValidatedToken>();
  for (const entry of list as readonly unknown[]) {
    const { token, ...described } = isRecord(entry) ? entry : {};
    if (typeof token !== "string" || !requestedTokens.has(token)) continue;
    // NOTE: of two descriptions of a token, at least one is wrong.
    if (seen.has(token)) valid.delete(token);
    else if (isValidated(described)) valid.set(token, described);
    seen.add(token);
  }
  return valid;
}

function isValidated(described: object): described is ValidatedToken {
  const { type, projects, environment } = described as Partial<Record<string, unknown>>;
  return (
    typeof type === "string" &&
    (typeof environment === "string" || environment === undefined) &&
    Array.isArray(projects) &&
    projects.length > 0 &&
    projects.every((project) => typeof project === "string")
  );
}
