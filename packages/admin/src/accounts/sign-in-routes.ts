import { isNotNull } from "drizzle-orm";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type Account, namesOf } from "../access/account.ts";
import { toActor } from "../access/request-identity.ts";
import { ApiError, notFound } from "../errors.ts";
import { rejectUnstorable } from "../http/reject-unstorable.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import { forbidCaching } from "../http/server.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { users } from "../storage/schema/accounts.ts";
import type { Storage } from "../storage/storage.ts";
import { signUp, findInviteLink } from "./invite-links.ts";
import { type Limit, limitFailures } from "./limit-failures.ts";
import { checkNewPassword, findPasswordProblem, hashPassword } from "./password.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import {
  EmailBody,
  LinkQuery,
  LoginBody,
  PasswordBody,
  ResetBody,
  SecretParams,
  SetupBody,
  SignUpBody,
} from "./schemas.ts";
import { isSetupOpen, setUpWith } from "./setup.ts";
import { registerSignInLink } from "./sign-in-link-route.ts";
import { findLink, useLink } from "./user-links.ts";
import { replacePassword } from "./user-store.ts";
import { NAMES, toUserView, UserSchema } from "./user-view.ts";

const tags = ["Sessions"];
const BODY_LIMIT_BYTES = 16 * 1024;
const FAILURES = errorResponses(400, 401, 403, 413, 415, 429, 503);

interface SignInRoutesOptions {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: PasswordSignIn;
  /** Name of the OpenID provider; undefined if none is configured. Then the first account can be created with a code. */
  readonly providerName: string | undefined;
}

/**
 * Registers what people without a session use: sign-in with a password, links to choose one, the setup, and invitations.
 * Guesses of secrets and passwords are limited.
 */
export async function registerSignIn(
  app: FastifyInstance,
  options: SignInRoutesOptions,
): Promise<void> {
  await app.register(async (scope: TypedApp) => {
    forbidCaching(scope);
    rejectUnstorable(scope);
    const limit = limitFailures();
    registerOptions(scope, options);
    registerPasswords(scope, options);
    registerSetup(scope, options, limit);
    registerLinks(scope, options, limit);
    registerSignInLink(scope, options, limit);
    registerInvitations(scope, options, limit);
    registerSignOut(scope, options);
  });
}

const SignInOptions = Type.Object(
  {
    token: Type.Boolean({ description: "Whether users can sign in with a token" }),
    password: Type.Boolean({ description: "Whether somebody has an account with a password" }),
    setup: Type.Boolean({
      description: "Whether nobody can sign in yet, so that the first account is to be created",
    }),
    openIdConnect: Type.Union(
      [Type.Null(), Type.Object({ name: Type.String() }, { title: "openIdProviderSchema" })],
      {
        description: "The name of the OpenID provider; null if none is configured",
      },
    ),
  },
  { title: "signInOptionsSchema" },
);

async function startSession(
  { sessions }: SignInRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  account: Account,
) {
  await sessions.start(request, reply, { user: { account } });
  return reply.code(200).send(toUserView(account));
}

function registerOptions(app: TypedApp, { storage, providerName }: SignInRoutesOptions): void {
  app.get(
    "/auth/options",
    {
      schema: {
        operationId: "getSignInOptions",
        summary: "Returns how users can sign in to the console",
        tags,
        security: [],
        response: { 200: SignInOptions, ...errorResponses(503) },
      },
    },
    async () => ({
      token: true,
      ...(await readPasswordOptions(storage, providerName === undefined)),
      openIdConnect: providerName === undefined ? null : { name: providerName },
    }),
  );
}

/** Reads whether people sign in with passwords, and whether the first account is to be created. */
function readPasswordOptions({ read }: Pick<Storage, "read">, offersSetup: boolean) {
  return read(async (db) => {
    const [withPassword] = await db
      .select({ id: users.id })
      .from(users)
      .where(isNotNull(users.passwordHash))
      .limit(1);
    return {
      password: withPassword !== undefined,
      setup: offersSetup && withPassword === undefined && (await isSetupOpen(db)),
    };
  });
}

function registerPasswords(app: TypedApp, options: SignInRoutesOptions): void {
  const { passwords } = options;
  app.post(
    "/auth/simple/login",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: "login",
        summary: "Signs a user in with a user name or email address and a password",
        tags,
        security: [],
        body: LoginBody,
        response: { 200: UserSchema, ...FAILURES },
      },
      // NOTE: before the body is read, so that another site cannot sign a user in with its own account.
      onRequest: async (request) => options.sessions.refuseForeignPage(request),
    },
    async (request, reply) => {
      const { username, password } = request.body;
      const account = await passwords.check(request.ip, username, password);
      return startSession(options, request, reply, account);
    },
  );
  app.post(
    "/auth/reset/validate-password",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: "validatePassword",
        summary: "Checks whether a password may be chosen",
        tags,
        security: [],
        body: PasswordBody,
        response: { 200: NoBody, ...FAILURES },
      },
    },
    (request, reply) => {
      checkPassword(request.body.password);
      return reply.send();
    },
  );
}

/** @throws {ApiError} 400 in the form that consoles of the protocol expect */
export function checkPassword(password: string): void {
  const problem = findPasswordProblem(password);
  if (problem === undefined) return;
  const message = `The password ${problem}`;
  const details = [{ message, path: "/body/password", validationErrors: [message] }];
  throw new ApiError("BadDataError", `Bad request: /body/password ${problem}`, { details });
}

function registerSetup(app: TypedApp, options: SignInRoutesOptions, limit: Limit): void {
  app.post(
    "/auth/setup",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: "setUp",
        summary:
          "Creates the first account, of an admin, with the code that the service has printed, and signs in",
        tags,
        security: [],
        body: SetupBody,
        response: { 200: UserSchema, ...FAILURES, ...errorResponses(404, 409) },
      },
      onRequest: async (request) => options.sessions.refuseForeignPage(request),
    },
    async (request, reply) => {
      if (options.providerName !== undefined) {
        throw notFound("There is no setup: people sign in with OpenID Connect");
      }
      const { code, ...user } = request.body;
      const account = await limit(request, () => setUpWith(options.storage, code, user));
      return startSession(options, request, reply, account);
    },
  );
}

const LinkSchema = Type.Object(
  {
    id: Type.Integer(),
    ...NAMES,
    token: Type.String(),
    kind: Type.String({ description: "`invite`: the first password; `reset`: another one" }),
    createdBy: Type.String(),
    role: Type.Object({ id: Type.Integer(), name: Type.String() }, { title: "linkRoleSchema" }),
  },
  { title: "tokenUserSchema" },
);

function registerLinks(app: TypedApp, options: SignInRoutesOptions, limit: Limit): void {
  const { storage } = options;
  app.get(
    "/auth/reset/validate",
    {
      schema: {
        operationId: "validateToken",
        summary: "Returns whose password can be chosen with a link",
        tags,
        security: [],
        querystring: LinkQuery,
        response: { 200: LinkSchema, ...FAILURES },
      },
    },
    async (request) => {
      const { token } = request.query;
      const { account, link } = await limit(request, () => findLink(storage.db, token));
      const { id, rootRole } = toUserView(account);
      const role = { id: rootRole, name: account.role };
      return { id, ...namesOf(account), token, kind: link.kind, createdBy: link.createdBy, role };
    },
  );
  app.post(
    "/auth/reset/password",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: "changePassword",
        summary: "Chooses a password with a link, which ends all sessions of the user",
        tags,
        security: [],
        body: ResetBody,
        response: { 200: NoBody, ...FAILURES },
      },
    },
    async (request, reply) => {
      const { token, password } = request.body;
      const { account } = await limit(request, () => findLink(storage.db, token));
      checkNewPassword(password, [account.username, account.email, account.name]);
      const passwordHash = await hashPassword(password);
      const actor = toActor({ id: "", name: "", account });
      await storage.write(actor, async (transaction) => {
        await useLink(transaction, token);
        await replacePassword(transaction, account, passwordHash);
      });
      return reply.send();
    },
  );
  app.post(
    "/auth/reset/password-email",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: "sendResetPasswordEmail",
        summary: "Has no effect: the service sends no mail. An admin creates links",
        tags,
        security: [],
        body: EmailBody,
        response: { 200: NoBody, ...FAILURES },
      },
    },
    (_request, reply) => reply.send(),
  );
}

function registerInvitations(app: TypedApp, { storage }: SignInRoutesOptions, limit: Limit): void {
  app.get(
    "/invite/:secret/validate",
    {
      schema: {
        operationId: "validatePublicSignupToken",
        summary: "Checks whether an account can be created with an invite link",
        tags,
        security: [],
        params: SecretParams,
        response: { 200: NoBody, ...FAILURES },
      },
    },
    async (request, reply) => {
      await limit(request, () => findInviteLink(storage.db, request.params.secret));
      return reply.send();
    },
  );
  app.post(
    "/invite/:secret/signup",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: "addPublicSignupTokenUser",
        summary: "Creates an account with an invite link",
        tags,
        security: [],
        params: SecretParams,
        body: SignUpBody,
        response: { 201: UserSchema, ...FAILURES, ...errorResponses(409) },
      },
    },
    async (request, reply) => {
      const { secret } = request.params;
      const account = await limit(request, () => signUp(storage, secret, request.body));
      return reply.code(201).send(toUserView(account));
    },
  );
}

function registerSignOut(app: TypedApp, { sessions }: SignInRoutesOptions): void {
  app.post(
    "/logout",
    {
      schema: {
        operationId: "logout",
        summary: "Signs the user out on all replicas at once, and leads to the sign-in page",
        tags,
        security: [],
        response: { 303: NoBody, ...errorResponses(400, 403, 429, 503) },
      },
      onRequest: async (request) => sessions.refuseForeignPage(request),
    },
    async (request, reply) => {
      await sessions.end(request, reply);
      // NOTE: the scheme and host are those that the browser has used.
      return reply.header("clear-site-data", '"cookies", "storage"').redirect("sign-in", 303);
    },
  );
}
