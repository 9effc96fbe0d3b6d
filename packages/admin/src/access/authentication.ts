import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import {
  AUTHENTICATION_LIMITS,
  describeRepeatedHeader,
  findRepeatedHeader,
  GuessLimiter,
} from "flags-server-kit/http";
import { Batcher } from "../storage/batcher.ts";
import { ApiError, tooManyGuesses } from "../errors.ts";
import type { ApiTokenType } from "../storage/schema/api-tokens.ts";
import type { Storage } from "../storage/storage.ts";
import type { ApiToken } from "./token.ts";
import { findTokens } from "./find-tokens.ts";
import { SeenTokens } from "./seen-tokens.ts";
import { setToken } from "./request-token.ts";

/**
 * Hooks that reject requests without a token of the right type. They read only headers and run before
 * bodies are parsed, so that clients without a token learn nothing about the validation of bodies.
 */
export interface Authentication {
  /** For the admin API. Afterwards, `actorOf()` returns the author of the request. */
  readonly requireAdmin: onRequestAsyncHookHandler;
  /** For the API of server SDKs. Afterwards, `tokenOf()` returns the token of the request. */
  readonly requireBackend: onRequestAsyncHookHandler;
  /** Stops the timer and stores the last use of tokens. */
  close(): Promise<void>;
}

interface AuthenticationOptions {
  /** How often the last use of tokens is stored. @default 60000 */
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
  const guesses = new GuessLimiter(AUTHENTICATION_LIMITS, tooManyGuesses);
  const requireType = (type: ApiTokenType): onRequestAsyncHookHandler => {
    return async (request) => {
      const token = await authenticate({ lookup, guesses }, request, type);
      seen.add(token.id);
      setToken(request, token);
    };
  };
  return {
    requireAdmin: requireType("admin"),
    requireBackend: requireType("backend"),
    close: () => seen.close(),
  };
}

const MAX_LOOKUPS = 1000;

/** NOTE: lookups are not cached, so that a revoked token is rejected at once. */
type TokenLookup = Batcher<string, ApiToken | undefined>;

async function lookUp(
  { db }: Storage,
  secrets: readonly string[],
): Promise<readonly (ApiToken | undefined)[]> {
  const found = await findTokens(db, [...new Set(secrets)]);
  const bySecret = new Map(found.map(({ secret, token }) => [secret, token]));
  return secrets.map((secret) => bySecret.get(secret));
}

const TYPE_NAMES: Readonly<Record<ApiTokenType, string>> = {
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
  // A gateway in front of this service may have checked a different value than the one read here.
  const repeated = findRepeatedHeader(request.raw.rawHeaders, TOKEN_HEADERS);
  if (repeated !== undefined) throw new ApiError("BadDataError", describeRepeatedHeader(repeated));
  const secret = readSecret(request);
  if (secret === "") {
    throw new ApiError(
      "AuthenticationRequired",
      `A token is required: send ${TYPE_NAMES[type]} in the \`Authorization\` header`,
    );
  }
  const [found] = await guesses.run(request.ip, [secret], async () => {
    const token = await lookup.add(secret);
    return token === undefined ? [] : [{ secret, token }];
  });
  if (found === undefined) {
    throw new ApiError("UnauthorizedError", "The token is unknown, expired or revoked");
  }
  const { token } = found;
  if (token.type !== type) {
    throw new ApiError(
      "PermissionError",
      `This requires ${TYPE_NAMES[type]}, but the request has ${TYPE_NAMES[token.type]}`,
    );
  }
  return token;
}

/** The scheme `Bearer` is optional. Node has already trimmed the value. */
function readSecret(request: FastifyRequest): string {
  const header = request.headers.authorization ?? "";
  return header.replace(/^Bearer(?:\s+|$)/i, "");
}
