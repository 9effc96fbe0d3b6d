import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "flags-server-kit";
import { AttemptLimiter, AUTHENTICATION_LIMITS, networkOf } from "flags-server-kit/http";
import { forbidCaching } from "../http/server.ts";
import { type Cookie, readCookie, setCookie } from "../sessions/session-cookie.ts";
import type { User } from "../sessions/session-store.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { toLocalPath, parseState, writeState, type SignInState } from "./sign-in-state.ts";
import type { OpenIdConfig } from "../config/openid-config.ts";
import { OpenIdProvider, SignInError } from "./openid-provider.ts";

/** NOTE: `Lax`, because the provider sends the browser back. */
const STATE_COOKIE: Cookie = { name: "flags_openid", sameSite: "Lax" };

/** How long a user may take to sign in with the provider. */
const STATE_SECONDS = 600;

interface OpenIdRoutesOptions {
  readonly config: OpenIdConfig;
  readonly sessions: Sessions;
  readonly logger: Pick<Logger, "warn">;
}

/** Registers the routes with which browsers sign in with an OpenID provider. They respond with redirects. */
export async function registerOpenId(
  app: FastifyInstance,
  { config, sessions, logger }: OpenIdRoutesOptions,
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
      value: state === undefined ? "" : writeState(state),
      maxAgeSeconds: state === undefined ? 0 : STATE_SECONDS,
      isHttps: sessions.isHttps(request),
    });

  /** NOTE: every failure counts, so that nobody can make this service overload the provider. */
  const complete = async (request: FastifyRequest, state: SignInState): Promise<User> => {
    const refund = attempts.take(networkOf(request.ip), 1);
    const user = await provider.complete(queryOf(request), state);
    refund(1);
    return user;
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
            const { url, state } = await provider.start(toLocalPath(returnTo));
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
            const state = readState(request, sessions.isHttps(request));
            // NOTE: only now, because another tab may have started the sign-in that the cookie is for.
            setStateCookie(request, reply);
            const user = await complete(request, state);
            await sessions.start(request, reply, { user });
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

/** @throws {SignInError} if this browser has not started the sign-in that the response is for */
function readState(request: FastifyRequest, isHttps: boolean): SignInState {
  const cookie = readCookie(request, STATE_COOKIE, isHttps);
  const expected = parseState(cookie ?? "");
  const { state } = request.query as { readonly state?: unknown };
  if (expected === undefined || typeof state !== "string" || !areEqual(state, expected.state)) {
    throw new SignInError(
      "expired",
      "the sign-in was not started in this browser, or took too long",
    );
  }
  return expected;
}

function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
}
