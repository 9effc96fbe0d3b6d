import { randomBytes } from "node:crypto";
import { and, asc, count, eq } from "drizzle-orm";
import type { Account } from "../access/account.ts";
import { operation } from "../access/operation.ts";
import { PERSONAL_TOKEN_PREFIX } from "../access/personal-tokens.ts";
import { accountOf, actorOf, callerOf } from "../access/request-identity.ts";
import { hashToken } from "../access/token.ts";
import { ApiError, badData, notFound } from "../errors.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { type Database, firstRow } from "../storage/database.ts";
import { personalTokens, projectMembers } from "../storage/schema/accounts.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { CreatePersonalTokenBody, IdParams, OwnPasswordBody } from "./schemas.ts";
import { ROOT_ROLES } from "./roles.ts";
import { replacePassword } from "./user-store.ts";
import { Type } from "typebox";

const tag = "Users";
const MAX_PERSONAL_TOKENS = 10;
const SELECTOR_BYTES = 16;
const SECRET_BYTES = 32;
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

interface OwnAccountOptions {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: PasswordSignIn;
}

/** What people do with their own account. Callers with an API token have none. */
export function registerOwnAccount(app: TypedApp, options: OwnAccountOptions): void {
  registerProfile(app, options);
  registerPassword(app, options);
  registerPersonalTokens(app, options);
  registerOwnSessions(app, options);
}

function registerProfile(app: TypedApp, { storage }: OwnAccountOptions): void {
  app.get(
    "/user/profile",
    operation({
      id: "getProfile",
      role: "viewer",
      tag,
      summary: "Describes the roles of the current user",
    }),
    async (request) => {
      const { account, role } = callerOf(request);
      const own =
        account === undefined
          ? []
          : await storage.db
              .selectDistinct({ project: projectMembers.project })
              .from(projectMembers)
              .where(eq(projectMembers.userId, account.id))
              .orderBy(asc(projectMembers.project));
      return {
        rootRole: ROOT_ROLES[role],
        projects: own.map(({ project }) => project),
        groups: [],
        features: [],
        subscriptions: [],
        canChangePassword: account !== undefined && account.passwordHash !== null,
      };
    },
  );
  app.get(
    "/user/roles",
    operation({
      id: "getUserRoles",
      role: "viewer",
      tag,
      summary: "Lists the roles of the current user",
    }),
    (request) => {
      const { role } = callerOf(request);
      return { version: 1, roles: [ROOT_ROLES[role]] };
    },
  );
}

function registerPassword(app: TypedApp, { storage, passwords }: OwnAccountOptions): void {
  app.post(
    "/user/change-password",
    operation({
      id: "changeMyPassword",
      role: "viewer",
      tag,
      summary: "Replaces the own password, which ends the other sessions of the user",
      empty: 200,
      body: OwnPasswordBody,
    }),
    async (request, reply) => {
      const account = accountOf(request);
      const { password, confirmPassword = password, oldPassword } = request.body;
      if (account.passwordHash === null) {
        throw badData("/body", "has no effect: you sign in with OpenID Connect");
      }
      if (confirmPassword !== password)
        throw badData("/body/confirmPassword", "must be `password`");
      checkNewPassword(password, [account.username, account.email, account.name]);
      const login = account.username ?? account.email ?? "";
      await passwords.check(request.ip, login, oldPassword);
      const passwordHash = await hashPassword(password);
      const { sessionHash } = callerOf(request);
      await storage.write(actorOf(request), (transaction) =>
        replacePassword(transaction, account, passwordHash, sessionHash),
      );
      return reply.send();
    },
  );
}

type PersonalToken = typeof personalTokens.$inferSelect;

function toTokenView({ id, description, expiresAt, createdAt, seenAt, userId }: PersonalToken) {
  const daysLeft = (expiresAt.getTime() - Date.now()) / DAY_MS;
  return {
    id: String(id),
    description,
    expiresAt,
    createdAt,
    seenAt,
    userId,
    ...(daysLeft <= 0 && { expiryWarning: "expired" }),
    ...(daysLeft > 0 && daysLeft <= SOON_DAYS && { expiryWarning: "expires-soon" }),
  };
}

function registerPersonalTokens(app: TypedApp, { storage }: OwnAccountOptions): void {
  app.get(
    "/user/tokens",
    operation({
      id: "getPats",
      role: "viewer",
      tag,
      summary: "Lists the personal tokens of the current user without their secrets",
    }),
    async (request) => {
      const rows = await storage.db
        .select()
        .from(personalTokens)
        .where(eq(personalTokens.userId, accountOf(request).id))
        .orderBy(personalTokens.id);
      return { pats: rows.map(toTokenView) };
    },
  );
  app.post(
    "/user/tokens",
    operation({
      id: "createPat",
      role: "viewer",
      tag,
      summary:
        "Creates a personal token, with which scripts do what the user may do. Only this response contains its secret",
      alsoFailsWith: [409],
      body: CreatePersonalTokenBody,
    }),
    async (request, reply) => {
      const account = accountOf(request);
      if (callerOf(request).sessionHash === undefined) {
        throw new ApiError(
          "PermissionError",
          "Personal tokens are created by people who are signed in, not with another token",
        );
      }
      const created = await storage.write(actorOf(request), (transaction) =>
        createPersonalToken(transaction, account, request.body),
      );
      return reply.code(201).header("cache-control", "no-store").send(created);
    },
  );
  app.delete(
    "/user/tokens/:id",
    operation({
      id: "deletePat",
      role: "viewer",
      tag,
      summary: "Revokes a personal token on all replicas at once",
      empty: 200,
      alsoFailsWith: [400],
      params: IdParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deletePersonalToken(transaction, accountOf(request), Number(request.params.id)),
      );
      return reply.send();
    },
  );
}

async function createPersonalToken(
  { db, record }: WriteTransaction,
  { id: userId }: Account,
  { description, expiresAt: sent }: { readonly description: string; readonly expiresAt: string },
) {
  const expiresAt = new Date(sent);
  if (!(expiresAt.getTime() > Date.now())) {
    throw badData("/body/expiresAt", "must be an existing date in the future");
  }
  const own = eq(personalTokens.userId, userId);
  const { tokens } = firstRow(await db.select({ tokens: count() }).from(personalTokens).where(own));
  if (tokens >= MAX_PERSONAL_TOKENS) {
    throw new ApiError(
      "InvalidOperationError",
      `You can have at most ${MAX_PERSONAL_TOKENS} personal tokens: delete one first`,
    );
  }
  if (await hasDescription(db, userId, description)) {
    throw new ApiError(
      "NameExistsError",
      `You have a personal token with the description ${JSON.stringify(description)} already`,
    );
  }
  const selector = randomBytes(SELECTOR_BYTES).toString("base64url");
  const secret = `${PERSONAL_TOKEN_PREFIX}v2_${selector}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
  const token = firstRow(
    await db
      .insert(personalTokens)
      .values({ userId, secretHash: hashToken(secret), description, expiresAt })
      .returning(),
  );
  await record({ type: "pat-created", after: toEventState(token) });
  return { ...toTokenView(token), secret };
}

async function hasDescription(db: Database, userId: number, description: string) {
  const rows = await db
    .select({ id: personalTokens.id })
    .from(personalTokens)
    .where(and(eq(personalTokens.userId, userId), eq(personalTokens.description, description)));
  return rows.length > 0;
}

function toEventState({ id, userId, description, expiresAt }: PersonalToken) {
  return { id, userId, description, expiresAt: expiresAt.toISOString() };
}

/** NOTE: deleting one that is unknown is no error, as in the upstream API. */
async function deletePersonalToken(
  { db, record }: WriteTransaction,
  { id: userId }: Account,
  id: number,
): Promise<void> {
  const [deleted] = await db
    .delete(personalTokens)
    .where(and(eq(personalTokens.id, id), eq(personalTokens.userId, userId)))
    .returning();
  if (deleted !== undefined) {
    await record({ type: "pat-deleted", before: toEventState(deleted) });
  }
}

function registerOwnSessions(app: TypedApp, { sessions }: OwnAccountOptions): void {
  app.get(
    "/user/sessions",
    operation({
      id: "getOwnSessions",
      role: "viewer",
      tag,
      summary: "Lists the sessions of the current user, newest first",
    }),
    async (request) => {
      const caller = callerOf(request);
      const own = await sessions.list(caller.id);
      return {
        sessions: own.map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }) => ({
          id,
          current: id === caller.sessionHash,
          createdAt,
          lastSeenAt,
          expiresAt,
          address,
          userAgent,
        })),
      };
    },
  );
  app.delete(
    "/user/sessions",
    operation({
      id: "endOtherSessions",
      role: "viewer",
      tag,
      summary: "Ends all other sessions of the current user, on all replicas at once",
      empty: 200,
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      await sessions.endOthers(actorOf(request), caller);
      return reply.send();
    },
  );
  app.delete(
    "/user/sessions/:id",
    operation({
      id: "endOwnSession",
      role: "viewer",
      tag,
      summary: "Ends a session of the current user, on all replicas at once",
      empty: 200,
      alsoFailsWith: [404],
      params: Type.Object({ id: Type.String() }),
    }),
    async (request, reply) => {
      const { id } = request.params;
      const own = await sessions.list(callerOf(request).id);
      if (!own.some((session) => session.id === id)) {
        throw notFound("There is no session with this id, or it has ended");
      }
      await sessions.endById(actorOf(request), id);
      return reply.send();
    },
  );
}
