import type { FastifyInstance } from "fastify";
import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import type { Authentication } from "../access/authentication.ts";
import { type Caller, toCaller } from "../access/request-identity.ts";
import { ROLES } from "../access/role.ts";
import { ApiError } from "../errors.ts";
import { closedObject, errorResponses, NoBody } from "../http/schemas.ts";
import { forbidCaching } from "../http/server.ts";
import { rejectUnstorable } from "../http/reject-unstorable.ts";
import { toUserView } from "./session-store.ts";
import type { Sessions } from "./sessions.ts";

const tags = ["Sessions"];

const MAX_TOKEN_LENGTH = 1000;
const SIGN_IN_BODY_LIMIT_BYTES = 16 * 1024;

const SignInBody = closedObject("signInSchema", {
  token: Type.String({ minLength: 1, maxLength: MAX_TOKEN_LENGTH }),
});

/** The user of a session. */
export const SessionUser = Type.Object(
  {
    name: Type.String(),
    kind: Type.Unsafe<Caller["kind"]>({ type: "string", enum: ["token", "user", "openid"] }),
    id: Type.Union([Type.Integer(), Type.Null()], {
      description: "The id of the account; null for a token",
    }),
    tokenId: Type.Union([Type.String(), Type.Null()], {
      description: "The id of the token that was used to sign in; null for an account",
    }),
    issuer: Type.Union([Type.String(), Type.Null()]),
    subject: Type.Union([Type.String(), Type.Null()], {
      description: "With the issuer, identifies a user of OpenID Connect; null for others",
    }),
  },
  { title: "sessionUserSchema" },
);

const SessionResponse = Type.Object(
  {
    user: SessionUser,
    role: Type.Unsafe<Caller["role"]>({ type: "string", enum: ROLES }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { title: "sessionSchema" },
);

interface SessionRoutesOptions {
  readonly sessions: Sessions;
  readonly authentication: Pick<Authentication, "findToken">;
}

/** Registers the routes below `/auth`, with which users of the console sign in and out. */
export async function registerSessions(
  app: FastifyInstance,
  options: SessionRoutesOptions,
): Promise<void> {
  await app.register(
    async (scope: TypedApp) => {
      forbidCaching(scope);
      rejectUnstorable(scope);
      registerCurrentSession(scope, options);
      registerSignIn(scope, options);
      registerSignOut(scope, options);
    },
    { prefix: "/auth" },
  );
}

function registerCurrentSession(app: TypedApp, { sessions }: SessionRoutesOptions): void {
  app.get(
    "/session",
    {
      schema: {
        operationId: "getSession",
        summary: "Returns the user who is signed in",
        tags,
        security: [],
        response: { 200: SessionResponse, ...errorResponses(400, 401, 429, 503) },
      },
    },
    async (request) => {
      const caller = await sessions.find(request);
      if (caller === undefined) throw new ApiError("AuthenticationRequired", "Sign in first");
      return toCurrentView(caller);
    },
  );
}

function registerSignIn(app: TypedApp, options: SessionRoutesOptions): void {
  const { sessions, authentication } = options;
  app.post(
    "/session",
    {
      bodyLimit: SIGN_IN_BODY_LIMIT_BYTES,
      schema: {
        operationId: "createSession",
        summary: "Signs a user of the console in with a token, and sets the cookie of the session",
        tags,
        security: [],
        body: SignInBody,
        response: { 201: SessionResponse, ...errorResponses(400, 401, 403, 413, 415, 429, 503) },
      },
      // NOTE: before the body is read, so that another site cannot sign a user in with its own token.
      onRequest: async (request) => sessions.requireSameOrigin(request),
    },
    async (request, reply) => {
      const token = await authentication.findToken(request.ip, request.body.token.trim());
      const caller = toCaller(token);
      if (caller === undefined) {
        throw new ApiError(
          "PermissionError",
          "This token is for SDKs: sign in with a token of type admin, editor or viewer",
        );
      }
      const latestEnd = token.expiresAt;
      const expiresAt = await sessions.start(request, reply, { user: { token }, latestEnd });
      return reply.code(201).send(toCurrentView({ ...caller, expiresAt }));
    },
  );
}

function registerSignOut(app: TypedApp, { sessions }: SessionRoutesOptions): void {
  app.delete(
    "/session",
    {
      schema: {
        operationId: "deleteSession",
        summary: "Signs the user out on all replicas at once",
        tags,
        security: [],
        response: { 204: NoBody, ...errorResponses(400, 403, 429, 503) },
      },
      onRequest: async (request) => sessions.requireSameOrigin(request),
    },
    async (request, reply) => {
      await sessions.end(request, reply);
      return reply.code(204).send();
    },
  );
}

function toCurrentView(caller: Caller) {
  return { user: toUserView(caller), role: caller.role, expiresAt: caller.expiresAt };
}
