import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import {
  AUTHENTICATION_LIMITS,
  describeRepeatedHeader,
  findRepeatedHeader,
  GuessLimiter,
} from "flags-server-kit/neutral";
import { Batcher } from "../scheduling/batcher.ts";
import { ApiError, tooManyGuesses, unusableToken } from "../errors.ts";
import type { ApiTokenType } from "../storage/schema/access.ts";
import type { Storage } from "../storage/storage.ts";
import { findPersonalCallers, PERSONAL_TOKEN_PREFIX } from "./personal-tokens.ts";
import { toCaller, setCaller, setToken, type Caller } from "./request-identity.ts";
import type { ApiToken } from "./token.ts";
import { findTokens } from "./token-store.ts";
import { LastUses } from "./last-uses.ts";

/**
 * Hooks that reject requests without a token of the right type. They read only headers and run before
 * bodies are parsed, so that clients without a token learn nothing about the validation of bodies.
 */
export interface Authentication {
  /** For the admin API: a token or a session. Afterwards, `callerOf()` returns who sent the request. */
  readonly requireCaller: onRequestAsyncHookHandler;
  /** For the API of server SDKs. Afterwards, `tokenOf()` returns the token of the request. */
  readonly requireBackend: onRequestAsyncHookHandler;
  /**
   * Finds the token whose secret a client has sent.
   *
   * @param address IP address of the client, whose guesses are limited
   * @throws {ApiError} 401 if the token is unknown, 403 for a personal token, 429 if the client has sent too many
   *   unknown ones
   */
  findToken(address: string, secret: string): Promise<ApiToken>;
  /** Records that a token is used now. */
  markSeen(tokenId: string): void;
  /** Stops the timer and stores the last use of tokens and sessions. */
  close(): Promise<void>;
}

/** @param findSession finds the caller by the cookie of a request; undefined if it has no cookie */
export function createAuthentication(
  storage: Storage,
  findSession: (request: FastifyRequest) => Promise<Caller | undefined>,
): Authentication {
  const lastUses = new LastUses(storage);
  const find = createFinder(storage);
  return {
    requireCaller: async (request) => {
      // NOTE: a token takes precedence over a session, because a script sends it deliberately,
      // whereas the browser attaches the cookie.
      const session =
        request.headers.authorization === undefined ? await findSession(request) : undefined;
      const caller = session ?? callerWith(await authenticate(find, request, ADMIN_API));
      lastUses.add(caller);
      setCaller(request, caller);
    },
    requireBackend: async (request) => {
      const found = await authenticate(find, request, SDK_API);
      if (!("type" in found) || found.type !== "backend") throw wrongType(found, SDK_API);
      lastUses.add({ tokenId: found.id });
      setToken(request, found);
    },
    findToken: async (address, secret) => {
      const found = await find(address, secret);
      if ("type" in found) return found;
      throw wrongType(found, "an API token");
    },
    markSeen: (tokenId) => lastUses.add({ tokenId }),
    close: () => lastUses.close(),
  };
}

const ADMIN_API = "an admin, editor, viewer or personal token";
const SDK_API = "a backend token";

const TYPE_NAMES: Readonly<Record<ApiTokenType, string>> = {
  admin: "an admin token",
  editor: "an editor token",
  viewer: "a viewer token",
  backend: "a backend token",
  frontend: "a frontend token",
};

/** What the secret that a client has sent belongs to: an API token, or the person with a personal token. */
type Owner = ApiToken | Caller;

function callerWith(owner: Owner): Caller {
  const caller = "type" in owner ? toCaller(owner) : owner;
  if (caller === undefined) throw wrongType(owner, ADMIN_API);
  return caller;
}

function wrongType(owner: Owner, required: string): ApiError {
  const name = "type" in owner ? TYPE_NAMES[owner.type] : "a personal token";
  return new ApiError("PermissionError", `This requires ${required}, but the request has ${name}`);
}

const MAX_LOOKUPS = 1000;

type Finder = (address: string, secret: string) => Promise<Owner>;

/** NOTE: lookups are not cached, so that a revoked token is rejected at once. */
function createFinder(storage: Storage): Finder {
  const lookup = new Batcher<string, Owner | undefined>({
    run: (secrets) => lookUp(storage, secrets),
    maxItems: MAX_LOOKUPS,
  });
  const guesses = new GuessLimiter(AUTHENTICATION_LIMITS, tooManyGuesses);
  return async (address, secret) => {
    const [found] = await guesses.run(address, [secret], async () => {
      const owner = await lookup.add(secret);
      return owner === undefined ? [] : [{ secret, owner }];
    });
    if (found === undefined) {
      throw unusableToken();
    }
    return found.owner;
  };
}

function isPersonal(secret: string): boolean {
  return secret.startsWith(PERSONAL_TOKEN_PREFIX);
}

async function lookUp(
  { db }: Storage,
  secrets: readonly string[],
): Promise<readonly (Owner | undefined)[]> {
  const distinct = [...new Set(secrets)];
  const tokens = await findTokens(
    db,
    distinct.filter((secret) => !isPersonal(secret)),
  );
  const owners = new Map<string, Owner>(tokens.map(({ secret, token }) => [secret, token]));
  const callers = await findPersonalCallers(db, distinct.filter(isPersonal));
  for (const [secret, caller] of callers) owners.set(secret, caller);
  return secrets.map((secret) => owners.get(secret));
}

const TOKEN_HEADERS = ["authorization"] as const;

/** @param required the kind of token that the route requires */
async function authenticate(
  find: Finder,
  request: FastifyRequest,
  required: string,
): Promise<Owner> {
  // A gateway in front of this service may have checked a different value than the one read here.
  const repeated = findRepeatedHeader(request.raw.rawHeaders, TOKEN_HEADERS);
  if (repeated !== undefined) throw new ApiError("BadDataError", describeRepeatedHeader(repeated));
  const secret = readSecret(request);
  if (secret === "") {
    throw new ApiError(
      "AuthenticationRequired",
      `A token is required: send ${required} in the \`Authorization\` header`,
    );
  }
  return find(request.ip, secret);
}

/** The scheme `Bearer` is optional. Node has already trimmed the value. */
function readSecret(request: FastifyRequest): string {
  const header = request.headers.authorization ?? "";
  return header.replace(/^Bearer(?:\s+|$)/i, "");
}
