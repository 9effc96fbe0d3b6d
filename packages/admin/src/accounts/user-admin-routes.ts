import { count, eq } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import { type Account, namesOf } from "../access/account.ts";
import { operation } from "../access/operation.ts";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { type Role, ROLES } from "../access/role.ts";
import { badData } from "../errors.ts";
import type { TypedApp } from "../http/typed-app.ts";
import { firstRow } from "../storage/database.ts";
import { apiTokens, sessions } from "../storage/schema/access.ts";
import { users } from "../storage/schema/accounts.ts";
import type { Storage } from "../storage/storage.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import {
  CreateUserBody,
  PasswordBody,
  ResetLinkBody,
  SearchQuery,
  UpdateUserBody,
  IdParams,
} from "./schemas.ts";
import { checkPassword } from "./sign-in-routes.ts";
import { createLink, createLinkOf, requirePassword } from "./user-links.ts";
import {
  createUser,
  deleteUser,
  findInvited,
  getUser,
  listUsers,
  prepareUser,
  replacePassword,
  searchUsers,
  updateUser,
} from "./user-store.ts";
import { ROOT_ROLES } from "./roles.ts";
import { toUserView } from "./user-view.ts";

const tag = "Users";

interface UserAdminOptions {
  readonly storage: Storage;
  /** Returns the address of a page of the console, as users of this request reach it. */
  readonly pageUrl: (request: FastifyRequest, path: string) => string;
}

/** Manages the accounts of all users. */
export function registerUserAdmin(app: TypedApp, options: UserAdminOptions): void {
  registerLists(app, options);
  registerCreation(app, options);
  registerChanges(app, options);
  registerLinks(app, options);
}

/** By the id and by the name. */
const ROOT_ROLE_OF: ReadonlyMap<string, Role> = new Map(
  ROLES.flatMap((role) => [
    [String(ROOT_ROLES[role].id), role],
    [ROOT_ROLES[role].name, role],
  ]),
);

function readRole(rootRole: number | string): Role {
  const role = ROOT_ROLE_OF.get(String(rootRole));
  if (role === undefined) throw badData("/body/rootRole", "must be Admin, Editor or Viewer");
  return role;
}

function registerLists(app: TypedApp, { storage }: UserAdminOptions): void {
  app.get(
    "/user-admin",
    operation({
      id: "getUsers",
      role: "admin",
      tag,
      summary: "Lists all accounts, and the roles that they can have",
    }),
    () =>
      storage.read(async (db) => {
        const invited = await findInvited(db);
        const found = await listUsers(db);
        return {
          users: found.map((account) => ({
            ...toUserView(account),
            invited: account.passwordHash === null && invited.has(account.id),
            hasPassword: account.passwordHash !== null,
          })),
          rootRoles: Object.values(ROOT_ROLES),
        };
      }),
  );
  app.get(
    "/user-admin/search",
    operation({
      id: "searchUsers",
      role: "viewer",
      tag,
      summary: "Finds users by a part of a name, of at least 2 characters",
      alsoFailsWith: [400],
      querystring: SearchQuery,
    }),
    async (request) => {
      const { q = "" } = request.query;
      if (q.length < 2) return [];
      return (await searchUsers(storage.db, q, 50)).map(toShortView);
    },
  );
  app.get(
    "/user-admin/access",
    operation({
      id: "getBaseUsersAndGroups",
      role: "viewer",
      tag,
      summary: "Lists the users who can get a role in a project",
    }),
    async () => {
      const found = await listUsers(storage.db);
      const active = found.filter(({ disabledAt }) => disabledAt === null);
      return { users: active.map(toShortView), groups: [] };
    },
  );
  app.get(
    "/user-admin/admin-count",
    operation({
      id: "getAdminCount",
      role: "admin",
      tag,
      summary: "Counts the admins by how they sign in",
    }),
    () =>
      storage.read(async (db) => {
        const isAdmin = eq(users.role, "admin");
        const all = firstRow(await db.select({ count: count() }).from(users).where(isAdmin)).count;
        const [withPassword = { count: 0 }] = await db
          .select({ count: count(users.passwordHash) })
          .from(users)
          .where(isAdmin);
        const tokens = await db
          .select({ count: count() })
          .from(apiTokens)
          .where(eq(apiTokens.type, "admin"));
        const { count: password } = withPassword;
        return { password, noPassword: all - password, service: firstRow(tokens).count };
      }),
  );
  app.get(
    "/user-admin/:id",
    operation({
      id: "getUser",
      role: "admin",
      tag,
      summary: "Shows an account",
      alsoFailsWith: [400, 404],
      params: IdParams,
    }),
    ({ params }) =>
      storage.read(async (db) => {
        const view = toUserView(await getUser(db, Number(params.id)));
        const open = await db
          .select({ count: count() })
          .from(sessions)
          .where(eq(sessions.account, Number(params.id)));
        return { ...view, activeSessions: firstRow(open).count };
      }),
  );
}

/** What everybody may know about others. */
function toShortView(account: Account) {
  const { id, accountType } = toUserView(account);
  return { id, ...namesOf(account), accountType };
}

function registerCreation(app: TypedApp, { storage, pageUrl }: UserAdminOptions): void {
  app.post(
    "/user-admin",
    operation({
      id: "createUser",
      role: "admin",
      tag,
      summary:
        "Creates an account. Without a password, only this response contains the link with which the user chooses one",
      body: CreateUserBody,
    }),
    async (request, reply) => {
      const { rootRole, sendEmail: _sendEmail, ...names } = request.body;
      const prepared = await prepareUser({ ...names, role: readRole(rootRole) });
      const { account, secret } = await storage.write(actorOf(request), async (transaction) => {
        const created = await createUser(transaction, prepared);
        const isInvited = prepared.passwordHash === null;
        return {
          account: created,
          secret: isInvited ? await createLink(transaction, created.id, "invite") : undefined,
        };
      });
      const inviteLink =
        secret === undefined ? null : pageUrl(request, `/new-user?token=${secret}`);
      return reply
        .code(201)
        .headers({ location: String(account.id), "cache-control": "no-store" })
        .send({ ...toUserView(account), inviteLink, emailSent: false });
    },
  );
  app.post(
    "/user-admin/validate-password",
    operation({
      id: "validateUserPassword",
      role: "viewer",
      tag,
      summary: "Checks whether a password may be chosen",
      empty: 200,
      body: PasswordBody,
    }),
    (request, reply) => {
      checkPassword(request.body.password);
      return reply.send();
    },
  );
}

/** Whether a caller has an API token: then accounts of admins can be created again. */
function hasToken(request: FastifyRequest): boolean {
  return callerOf(request).account === undefined;
}

function registerChanges(app: TypedApp, { storage }: UserAdminOptions): void {
  app.put(
    "/user-admin/:id",
    operation({
      id: "updateUser",
      role: "admin",
      tag,
      summary: "Changes the given properties of an account",
      alsoFailsWith: [404],
      params: IdParams,
      body: UpdateUserBody,
    }),
    async (request) => {
      const { username, email, name, rootRole, disabled } = request.body;
      const changes = {
        ...(typeof username === "string" && { username }),
        ...(typeof email === "string" && { email }),
        ...(name !== undefined && { name: name ?? "" }),
        ...(rootRole !== undefined && { role: readRole(rootRole) }),
        ...(disabled !== undefined && { disabled }),
      };
      const id = Number(request.params.id);
      const updated = await storage.write(actorOf(request), (transaction) =>
        updateUser(transaction, id, changes, hasToken(request)),
      );
      return toUserView(updated);
    },
  );
  app.delete(
    "/user-admin/:id",
    operation({
      id: "deleteUser",
      role: "admin",
      tag,
      summary:
        "Deletes an account and its personal tokens, and ends its sessions on all replicas at once",
      empty: 200,
      alsoFailsWith: [400, 404],
      params: IdParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteUser(transaction, Number(request.params.id), hasToken(request)),
      );
      return reply.send();
    },
  );
  app.post(
    "/user-admin/:id/change-password",
    operation({
      id: "changeUserPassword",
      role: "admin",
      tag,
      summary: "Replaces the password of a user, which ends all their sessions",
      empty: 200,
      alsoFailsWith: [404],
      params: IdParams,
      body: PasswordBody,
    }),
    async (request, reply) => {
      const account = await getUser(storage.db, Number(request.params.id));
      requirePassword(account);
      const { password } = request.body;
      checkNewPassword(password, [account.username, account.email, account.name]);
      const passwordHash = await hashPassword(password);
      await storage.write(actorOf(request), (transaction) =>
        replacePassword(transaction, account, passwordHash),
      );
      return reply.send();
    },
  );
}

function registerLinks(app: TypedApp, { storage, pageUrl }: UserAdminOptions): void {
  app.post(
    "/user-admin/reset-password",
    operation({
      id: "resetUserPassword",
      role: "admin",
      tag,
      summary: "Creates a link with which a user chooses a new password. Previous links end",
      alsoFailsWith: [404],
      body: ResetLinkBody,
    }),
    async (request, reply) => {
      const secret = await storage.write(actorOf(request), (transaction) =>
        createLinkOf(transaction, request.body.id, "reset"),
      );
      const resetPasswordUrl = pageUrl(request, `/reset-password?token=${secret}`);
      return reply.header("cache-control", "no-store").send({ resetPasswordUrl });
    },
  );
}
