import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { describeRepeatedHeader, findRepeatedHeader } from "flags-server-kit/http";
import { Batcher } from "../storage/batcher.ts";
import { ApiError } from "../errors.ts";
import type { ApiTokenType } from "../storage/schema/api-tokens.ts";
import type { Storage } from "../storage/storage.ts";
import type { ApiToken } from "./tokens/api-token.ts";
import { findTokens } from "./tokens/find-tokens.ts";
import { SeenTokens } from "./tokens/seen-tokens.ts";
import { setActor } from "./actor-of.ts";
import { AUTHENTICATION_LIMITS, GuessLimiter } from "./guess-limiter.ts";
import { setToken } from "./token-of.ts";

/**
 * Lets requests pass that bring the right kind of token. It looks at nothing but headers, and runs
 * before bodies are read: who has no token learns nothing else.
 */
export interface Authentication {
  /** For the admin API. The request has an actor from then on. */
  readonly requireAdmin: onRequestAsyncHookHandler;
  /** For the API of server SDKs. The request has a token from then on. */
  readonly requireBackend: onRequestAsyncHookHandler;
  /** For the API of clients. The request has a token from then on. */
  readonly requireFrontend: onRequestAsyncHookHandler;
  /** Writes down which tokens were used since the last time. */
  close(): Promise<void>;
}

interface AuthenticationOptions {
  /** How often the last use of tokens is written down. @default 60000 */
  readonly seenIntervalMs?: number;
}

export function createAuthentication(
  storage: Storage,
  { seenIntervalMs = 60_000 }: AuthenticationOptions = {},
): Authentication {
  const seen = new SeenTokens(storage, seenIntervalMs);
  const lookup: TokenLookup = new Batcher({
    run: (secrets) => lookUp(storage, secrets),
    maxItems: MAX_LOOKUPS,
  });
  const guesses = new GuessLimiter(AUTHENTICATION_LIMITS);
  const require = (type: ApiTokenType): onRequestAsyncHookHandler => {
    return async (request) => {
      const token = await authenticate({ lookup, guesses }, request, type);
      seen.add(token.id);
      setToken(request, token);
      if (type === "admin") setActor(request, { id: token.id, name: token.name, kind: "token" });
    };
  };
  return {
    requireAdmin: require("admin"),
    requireBackend: require("backend"),
    requireFrontend: require("frontend"),
    close: () => seen.close(),
  };
}

const MAX_LOOKUPS = 1000;

/** NOTE: nothing is kept from one lookup to the next, so that a revoked token opens nothing more. */
type TokenLookup = Batcher<string, ApiToken | undefined>;

async function lookUp(
  { db }: Storage,
  secrets: readonly string[],
): Promise<readonly (ApiToken | undefined)[]> {
  const found = await findTokens(db, [...new Set(secrets)]);
  const bySecret = new Map(found.map(({ secret, token }) => [secret, token]));
  return secrets.map((secret) => bySecret.get(secret));
}

const KIND_NAMES: Readonly<Record<ApiTokenType, string>> = {
  admin: "an admin token",
  backend: "a backend token",
  frontend: "a frontend token",
};

const TOKEN_HEADERS = ["authorization"] as const;

interface Dependencies {
  readonly lookup: TokenLookup;
  readonly guesses: GuessLimiter;
}

async function authenticate(
  { lookup, guesses }: Dependencies,
  request: FastifyRequest,
  type: ApiTokenType,
): Promise<ApiToken> {
  // A gateway might have checked another value than the one that is read here.
  const repeated = findRepeatedHeader(request.raw.rawHeaders, TOKEN_HEADERS);
  if (repeated !== undefined) throw new ApiError("BadDataError", describeRepeatedHeader(repeated));
  const secret = readSecret(request);
  if (secret === "") {
    throw new ApiError(
      "AuthenticationRequired",
      `A token is required: send ${KIND_NAMES[type]} in the \`Authorization\` header`,
    );
  }
  const [found] = await guesses.run(request.ip, [secret], async () => {
    const token = await lookup.add(secret);
    return token === undefined ? [] : [{ secret, token }];
  });
  if (found === undefined) {
    throw new ApiError("UnauthorizedError", "The token is unknown, has expired or was revoked");
  }
  const { token } = found;
  if (token.type !== type) {
    throw new ApiError(
      "PermissionError",
      `${KIND_NAMES[type]} is required here, and this is ${KIND_NAMES[token.type]}`,
    );
  }
  return token;
}

/** The scheme `Bearer` is optional. Header values have no space around them when they get here. */
function readSecret(request: FastifyRequest): string {
  const header = request.headers.authorization ?? "";
  return header.replace(/^Bearer(?:\s+|$)/i, "");
}
