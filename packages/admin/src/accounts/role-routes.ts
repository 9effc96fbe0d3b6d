import { operation } from "../access/operation.ts";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { includesLevel, type Level } from "../access/role.ts";
import { listEnvironments } from "../domain/environments/store.ts";
import { ProjectParams } from "../domain/schemas.ts";
import { notFound } from "../errors.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Storage } from "../storage/storage.ts";
import { type Assignments, changeAccess, listMembers, readProjectRole } from "./project-members.ts";
import { ALL_ROLES, PERMISSIONS, PROJECT_ROLES, type ProjectRole } from "./roles.ts";
import {
  AddAccessBody,
  IdParams,
  MemberParams,
  MemberRolesBody,
  ReplaceAccessBody,
} from "./schemas.ts";

const tag = "Access";

/** Registers the roles, and who has them in which project. */
export function registerRoles(app: TypedApp, storage: Storage): void {
  registerRoleLists(app, storage);
  registerAccess(app, storage);
  registerMember(app, storage);
}

function registerRoleLists(app: TypedApp, storage: Storage): void {
  app.get(
    "/roles",
    operation({ id: "getRoles", role: "viewer", tag, summary: "Lists the roles. They are fixed" }),
    () => ({ version: 1, roles: ALL_ROLES }),
  );
  app.get(
    "/roles/:id",
    operation({
      id: "getRoleById",
      role: "viewer",
      tag,
      summary: "Shows a role, with its permissions",
      alsoFailsWith: [400, 404],
      params: IdParams,
    }),
    ({ params }) => {
      const role = ALL_ROLES.find(({ id }) => id === Number(params.id));
      if (role === undefined) throw notFound(`There is no role ${params.id}`);
      return { ...role, permissions: permissionsOf(role.name) };
    },
  );
  app.get(
    "/permissions",
    operation({
      id: "getPermissions",
      role: "viewer",
      tag,
      summary: "Lists what roles can permit: everywhere, in a project, and in an environment",
    }),
    async () => ({
      version: 1,
      permissions: {
        root: namesOf(PERMISSIONS.root, "root"),
        project: namesOf(PERMISSIONS.project, "project"),
        environments: (await listEnvironments(storage.db)).map(({ name }) => ({
          name,
          permissions: namesOf(PERMISSIONS.environment, "environment"),
        })),
      },
    }),
  );
}

const LEVELS_OF_ROLES: Readonly<Record<string, Level>> = {
  Admin: "admin",
  Editor: "editor",
  Viewer: "viewer",
  Owner: "owner",
  Member: "editor",
};

function permissionsOf(roleName: string) {
  const level = LEVELS_OF_ROLES[roleName] ?? "viewer";
  const isProjectRole = Object.values(PROJECT_ROLES).some(({ name }) => name === roleName);
  const included = (permissions: Readonly<Record<string, Level>>, type: string) =>
    namesOf(permissions, type).filter(({ name }) =>
      includesLevel(level, permissions[name] ?? "admin"),
    );
  return [
    ...(isProjectRole ? [] : included(PERMISSIONS.root, "root")),
    ...included(PERMISSIONS.project, "project"),
    ...included(PERMISSIONS.environment, "environment"),
  ];
}

function namesOf(permissions: Readonly<Record<string, Level>>, type: string) {
  return Object.keys(permissions).map((name) => ({ name, displayName: toWords(name), type }));
}

function toWords(name: string): string {
  const words = name.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function registerAccess(app: TypedApp, storage: Storage): void {
  const path = "/projects/:projectId/access" as const;
  app.get(
    path,
    operation({
      id: "getProjectAccess",
      role: "viewer",
      tag,
      summary: "Lists who has a role in a project, and the roles that they can have",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    ({ params }) =>
      storage.read(async (db) => ({
        version: 1,
        users: await listMembers(db, params.projectId),
        groups: [],
        roles: Object.values(PROJECT_ROLES),
      })),
  );
  app.post(
    path,
    operation({
      id: "addAccessToProject",
      role: "owner",
      tag,
      summary: "Gives users a role in a project",
      empty: 200,
      alsoFailsWith: [404],
      params: ProjectParams,
      body: AddAccessBody,
    }),
    async (request, reply) => {
      const { roles, users } = request.body;
      const role = strongest(roles.map((id, index) => readProjectRole(id, `/body/roles/${index}`)));
      await storage.write(actorOf(request), (transaction) =>
        changeAccess(transaction, {
          project: request.params.projectId,
          caller: callerOf(request),
          type: "project-access-added",
          change: (assigned) => new Map([...assigned, ...users.map((id) => [id, role] as const)]),
        }),
      );
      return reply.send();
    },
  );
  app.put(
    path,
    operation({
      id: "setProjectAccess",
      role: "owner",
      tag,
      summary: "Replaces who has which role in a project, apart from roles of OpenID Connect",
      empty: 200,
      alsoFailsWith: [404],
      params: ProjectParams,
      body: ReplaceAccessBody,
    }),
    async (request, reply) => {
      const wanted = new Map<number, ProjectRole>();
      for (const [index, { id, users = [] }] of request.body.roles.entries()) {
        const role = readProjectRole(id, `/body/roles/${index}/id`);
        for (const user of users) {
          if (wanted.get(user) !== "owner") wanted.set(user, role);
        }
      }
      await storage.write(actorOf(request), (transaction) =>
        changeAccess(transaction, {
          project: request.params.projectId,
          caller: callerOf(request),
          type: "project-access-updated",
          change: () => wanted,
        }),
      );
      return reply.send();
    },
  );
}

function registerMember(app: TypedApp, storage: Storage): void {
  const path = "/projects/:projectId/users/:userId/roles" as const;
  app.put(
    path,
    operation({
      id: "setRolesForUser",
      role: "owner",
      tag,
      summary: "Replaces the role of a user in a project",
      empty: 200,
      alsoFailsWith: [404],
      params: MemberParams,
      body: MemberRolesBody,
    }),
    async (request, reply) => {
      const roles = request.body.roles.map((id, index) =>
        readProjectRole(id, `/body/roles/${index}`),
      );
      await storage.write(actorOf(request), (transaction) =>
        changeAccess(transaction, {
          project: request.params.projectId,
          caller: callerOf(request),
          type: "project-access-user-roles-updated",
          change: (assigned) => withRoles(assigned, Number(request.params.userId), roles),
        }),
      );
      return reply.send();
    },
  );
  app.delete(
    path,
    operation({
      id: "deleteRolesForUser",
      role: "owner",
      tag,
      summary: "Removes a user from a project",
      empty: 200,
      alsoFailsWith: [400, 404],
      params: MemberParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        changeAccess(transaction, {
          project: request.params.projectId,
          caller: callerOf(request),
          type: "project-access-user-roles-deleted",
          change: (assigned) => withRoles(assigned, Number(request.params.userId), []),
        }),
      );
      return reply.send();
    },
  );
}

/** Replaces the roles of one user, who may have none afterwards. */
function withRoles(
  assigned: Assignments,
  userId: number,
  roles: readonly ProjectRole[],
): Assignments {
  const after = new Map(assigned);
  if (roles.length === 0) after.delete(userId);
  else after.set(userId, strongest(roles));
  return after;
}

function strongest(roles: readonly ProjectRole[]): ProjectRole {
  return roles.includes("owner") ? "owner" : "member";
}
