import { createConnections, HttpClient } from "flags-sdk/internal";
import { describeUrl } from "flags-sdk/neutral";
import type { Logger } from "flags-server-kit/neutral";
import { type KeySet, RemoteKeys } from "./remote-keys.ts";

/** The time limit for reading the keys of an identity provider. */
const TIMEOUT_MS = 5000;

const MAX_BODY_BYTES = 256 * 1024;

/** Empty: no forward proxy. */
interface ForwardProxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Creates the client that reads keys from URLs. The settings of upstream connections do not apply to it. */
export function createKeysClient(proxies: ForwardProxies): HttpClient {
  const connections = createConnections({ ...proxies, timeoutMs: TIMEOUT_MS });
  return new HttpClient({ connections, timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES });
}

/** The keys of identity providers at URLs. Several verifiers can use those of one. */
export class RemoteKeySets {
  readonly #createHttp: () => HttpClient;
  readonly #logger: Logger;
  readonly #byUrl = new Map<string, RemoteKeys>();
  #http: HttpClient | undefined;

  /** @param createHttp called once, if there are keys at URLs */
  constructor(createHttp: () => HttpClient, logger: Logger) {
    this.#createHttp = createHttp;
    this.#logger = logger;
  }

  readonly at = (href: string): KeySet => {
    const url = new URL(href);
    this.#http ??= this.#createHttp();
    const keys =
      this.#byUrl.get(href) ??
      new RemoteKeys({ url, http: this.#http, onResult: createReporter(url, this.#logger) });
    this.#byUrl.set(href, keys);
    return keys.find;
  };

  /** Removes the keys at all other URLs. */
  retain(used: ReadonlySet<string | undefined>): void {
    for (const [href, keys] of this.#byUrl) {
      if (used.has(href)) continue;
      keys.close();
      this.#byUrl.delete(href);
    }
  }

  close(): void {
    this.retain(new Set());
    void this.#http?.close();
  }
}

/** Creates a function that logs each reason of failures once until they end, and then their end. */
export function createReporter(
  url: URL,
  logger: Pick<Logger, "error" | "warn">,
): (error: Error | undefined) => void {
  const subject = `the keys for signed contexts from ${describeUrl(url)}`;
  const loggedReasons = new Set<string>();
  return (error) => {
    if (error === undefined) {
      if (loggedReasons.size > 0) logger.warn(`Read ${subject} again`);
      loggedReasons.clear();
    } else if (!loggedReasons.has(error.message)) {
      loggedReasons.add(error.message);
      logger.error(`Cannot read ${subject}: ${error.message}`);
    }
  };
}
