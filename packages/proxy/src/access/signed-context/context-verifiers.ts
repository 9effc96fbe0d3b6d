import { createPublicKey } from "node:crypto";
import { createConnections, describeUrl, HttpClient } from "flags-sdk/internal";
import type { Logger } from "flags-server-kit";
import { HmacVerifier } from "./hmac-verifier.ts";
import { type JwtKeys, JwtVerifier } from "./jwt-verifier.ts";
import { jwksUrlOf, type Signing } from "./read-signing.ts";
import { parseKeySet, RemoteKeys } from "./remote-keys.ts";
import type { ContextVerifier } from "./verify-context.ts";

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

interface VerifiersOptions {
  readonly logger: Logger;
  /** Creates the client with which keys are read from URLs. Called once, if a key needs it. */
  readonly createHttp: () => HttpClient;
}

/** The verifiers in use. Keys with equal settings share one. */
export class ContextVerifiers {
  readonly #options: VerifiersOptions;
  /** With the URL of its keys, if they are at one. */
  readonly #verifiers = new Map<string, { verifier: ContextVerifier; href: string | undefined }>();
  /** By URL: several verifiers can use the keys of one identity provider. */
  readonly #remoteKeys = new Map<string, RemoteKeys>();
  #http: HttpClient | undefined;

  constructor(options: VerifiersOptions) {
    this.#options = options;
  }

  get(signing: Signing): ContextVerifier {
    const known = this.#verifiers.get(signing.id);
    if (known !== undefined) return known.verifier;
    const verifier = this.#create(signing);
    this.#verifiers.set(signing.id, { verifier, href: jwksUrlOf(signing) });
    return verifier;
  }

  /** Removes those that are not in use, and the keys that only they have used. */
  retain(used: ReadonlySet<ContextVerifier | undefined>): void {
    for (const [id, { verifier }] of this.#verifiers)
      if (!used.has(verifier)) this.#verifiers.delete(id);
    const hrefs = new Set([...this.#verifiers.values()].map(({ href }) => href));
    for (const [href, keys] of this.#remoteKeys) {
      if (hrefs.has(href)) continue;
      keys.close();
      this.#remoteKeys.delete(href);
    }
  }

  close(): void {
    for (const keys of this.#remoteKeys.values()) keys.close();
    void this.#http?.close();
  }

  #create({ scheme, allowsAnonymous }: Signing): ContextVerifier {
    if (scheme.kind === "hmac") return new HmacVerifier({ ...scheme, allowsAnonymous });
    const { rules, keys } = scheme;
    return new JwtVerifier(rules, this.#toJwtKeys(keys), { allowsAnonymous });
  }

  #toJwtKeys(keys: Extract<Signing["scheme"], { kind: "jwt" }>["keys"]): JwtKeys {
    if ("secrets" in keys) return keys;
    if ("publicKeys" in keys) {
      return { publicKeys: keys.publicKeys.map((text) => createPublicKey(text)) };
    }
    if ("jwksUrl" in keys) return { keySet: this.#remoteKeysAt(keys.jwksUrl).find };
    const { jwks } = keys;
    let keySet: ReturnType<typeof parseKeySet> | undefined;
    return {
      keySet: async (header, token) => {
        keySet ??= parseKeySet(jwks);
        return (await keySet)(header, token);
      },
    };
  }

  #remoteKeysAt(href: string): RemoteKeys {
    const known = this.#remoteKeys.get(href);
    if (known !== undefined) return known;
    const { logger, createHttp } = this.#options;
    this.#http ??= createHttp();
    const url = new URL(href);
    const keys = new RemoteKeys({ url, http: this.#http, onResult: createReporter(url, logger) });
    this.#remoteKeys.set(href, keys);
    return keys;
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
