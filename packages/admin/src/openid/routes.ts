import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  AttemptLimiter,
  AUTHENTICATION_LIMITS,
  type Logger,
  networkOf,
} from "flags-server-kit/neutral";
import { forbidCaching } from "../http/server.ts";
import { type Cookie, readCookies, setCookie } from "../sessions/session-cookie.ts";
import type { Account } from "../access/account.ts";
import { updateOpenIdAccount } from "../accounts/openid-account.ts";
import { isFromOtherPage } from "../sessions/request-origin.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Storage } from "../storage/storage.ts";
import {
  areEqual,
  SIGN_IN_SECONDS,
  toLocalPath,
  parseState,
  writeState,
  type SignInState,
} from "./sign-in-state.ts";
import type { OpenIdConfig } from "../config/openid-config.ts";
import { OpenIdProvider, SignInError } from "./openid-provider.ts";

/** NOTE: `Lax`, because the provider sends the browser back. */
const STATE_COOKIE: Cookie = { name: "flags_openid", sameSite: "Lax" };

interface OpenIdRoutesOptions {
  readonly config: OpenIdConfig;
  readonly sessions: Sessions;
  readonly storage: Pick<Storage, "read" | "write">;
  readonly logger: Pick<Logger, "warn">;
}

/** Registers the routes with which browsers sign in with an OpenID provider. They respond with redirects. */
export async function registerOpenId(
  app: FastifyInstance,
  { config, sessions, storage, logger }: OpenIdRoutesOptions,
): Promise<void> {
  const provider = new OpenIdProvider(config);
  const attempts = new AttemptLimiter(
    AUTHENTICATION_LIMITS,
    () =>
      new SignInError(
        "unavailable",
        "too many sign-ins from the address, or in total, have failed",
      ),
  );
  // Without a trailing slash, because paths of the console follow.
  const basePath = new URL(config.publicUrl).pathname.replace(/\/$/, "");
  const redirect = (reply: FastifyReply, path: string) => reply.redirect(basePath + path);
  const logged = new WeakSet<SignInError>();
  const refuse = (reply: FastifyReply, error: unknown) => {
    if (!(error instanceof SignInError)) throw error;
    // An expired sign-in is common, and anyone can cause one. Attempts while the provider is down share one error.
    if (error.problem !== "expired" && !logged.has(error)) {
      logged.add(error);
      logger.warn(`Cannot sign in with OpenID Connect: ${error.message}`);
    }
    return redirect(reply, `/sign-in?problem=${error.problem}`);
  };
  /** Without a state, deletes the cookie. */
  const setStateCookie = (request: FastifyRequest, reply: FastifyReply, state?: SignInState) =>
    setCookie(reply, STATE_COOKIE, {
      value: state === undefined ? "" : writeState(state, config.clientSecret),
      maxAgeSeconds: state === undefined ? 0 : SIGN_IN_SECONDS,
      isHttps: sessions.isHttps(request),
    });

  /** NOTE: every failure counts, so that nobody can make this service overload the provider. */
  const complete = async (request: FastifyRequest, state: SignInState): Promise<Account> => {
    const refund = attempts.take(networkOf(request.ip), 1);
    const identity = await provider.complete(queryOf(request), state);
    const account = await updateOpenIdAccount(storage, identity, config.defaultRole);
    if (account === undefined) {
      throw new SignInError(
        "forbidden",
        `${identity.name} has no role: the claim ${config.roleClaim} contains none of OIDC_ROLES`,
      );
    }
    if (account.disabledAt !== null) {
      throw new SignInError("forbidden", `the account of ${identity.name} is disabled`);
    }
    refund(1);
    return account;
  };

  await app.register(
    async (scope) => {
      forbidCaching(scope);
      scope.get(
        "/start",
        { exposeHeadRoute: false, schema: { hide: true } },
        async (request, reply) => {
          try {
            const { returnTo } = request.query as { readonly returnTo?: unknown };
            const path = toLocalPath(returnTo);
            // Only the user decides to sign in, and thereby to end another session.
            if (isFromOtherPage(request)) {
              return await redirect(reply, `/sign-in?returnTo=${encodeURIComponent(path)}`);
            }
            const { url, state } = await provider.start(path);
            setStateCookie(request, reply, state);
            return await reply.redirect(url.href);
          } catch (error) {
            return refuse(reply, error);
          }
        },
      );
      scope.get(
        "/callback",
        { exposeHeadRoute: false, schema: { hide: true } },
        async (request, reply) => {
          try {
            const state = readState(request, config, sessions.isHttps(request));
            // NOTE: only now, because another tab may have started the sign-in that the cookie is for.
            setStateCookie(request, reply);
            const account = await complete(request, state);
            await sessions.start(request, reply, { user: { account } });
            return await redirect(reply, state.returnTo);
          } catch (error) {
            return refuse(reply, error);
          }
        },
      );
    },
    { prefix: "/auth/openid" },
  );
}

/**
 * Reads the sign-in of this browser: the last cookie that this service has signed. NOTE: not another one that the response
 * is for, since a page on another port could have set it with a longer path, and would sign the user in as somebody else.
 *
 * @throws {SignInError} if this browser has not started the sign-in that the response is for
 */
function readState(
  request: FastifyRequest,
  { clientSecret }: OpenIdConfig,
  isHttps: boolean,
): SignInState {
  const now = new Date();
  const expected = readCookies(request, STATE_COOKIE, isHttps)
    .map((cookie) => parseState(cookie, clientSecret, now))
    .findLast((each) => each !== undefined);
  const { state } = request.query as { readonly state?: unknown };
  if (expected === undefined || typeof state !== "string" || !areEqual(state, expected.state)) {
    throw new SignInError(
      "expired",
      "the sign-in was not started in this browser, or took too long",
    );
  }
  return expected;
}

function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
}
