import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf, callerOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import type { Database } from "../../storage/database.ts";
import type { Storage } from "../../storage/storage.ts";
import { IfMatchHeaders, withEntityTag, writeIfMatch } from "../conditional-change.ts";
import { CloneEnvironmentBody, EnvironmentParams } from "../environments/schemas.ts";
import { listEnvironments, toEnvironmentView } from "../environments/store.ts";
import { readDefaultStrategies, toDefaultStrategyView } from "../default-strategies.ts";
import { findFavoriteProjects } from "../favorites.ts";
import { ProjectEnvironmentParams, ProjectParams } from "../schemas.ts";
import { cloneEnvironment } from "./clone-environment.ts";
import { addEnvironment, removeEnvironment } from "./project-environments.ts";
import {
  CreateProjectBody,
  ProjectEnvironmentBody,
  ProjectIdBody,
  ProjectListQuery,
  ProjectSettingsBody,
  ProjectStatusResponse,
  UpdateProjectBody,
} from "./schemas.ts";
import { countFlags, readProjectStatus, toHealth } from "./status.ts";
import {
  archiveProject,
  checkIdIsAvailable,
  countTypes,
  createProject,
  editedProject,
  getProject,
  listProjectEnvironments,
  listProjects,
  reviveProject,
  updateProject,
  updateProjectSettings,
} from "./store.ts";

const tag = "Projects";

export function registerProjects(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
  registerArchiving(app, storage);
  registerProjectEnvironments(app, storage);
  registerCloning(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/projects",
    operation({
      id: "getProjects",
      role: "viewer",
      tag,
      summary: "Lists the projects: the active ones, or the archived ones",
      alsoFailsWith: [400],
      querystring: ProjectListQuery,
    }),
    (request) => {
      const { account, projects: access } = callerOf(request);
      const archived = request.query.archived === "true";
      return storage.read(async (db) => ({
        version: 1,
        projects: await listProjects(db, { archived, access, userId: account?.id }),
      }));
    },
  );

  app.get(
    "/projects/:projectId",
    operation({
      id: "getProject",
      role: "viewer",
      tag,
      summary: "Shows a project, with the ETag of its settings",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    (request, reply) =>
      storage.read(async (db) => {
        const { projectId } = request.params;
        // NOTE: not the tag of the whole response. Another environment is no reason to reject other settings.
        withEntityTag(reply, await editedProject(projectId).readView(db));
        const { account, projects } = callerOf(request);
        return {
          ...(await readProject(db, projectId, account?.id)),
          callerRole: projects.levelIn(projectId),
        };
      }),
  );

  app.get(
    "/projects/:projectId/overview",
    operation({
      id: "getProjectOverview",
      role: "viewer",
      tag,
      summary: "Shows a project, its environments and the number of its flags by type",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    (request) =>
      storage.read((db) =>
        readOverview(db, request.params.projectId, callerOf(request).account?.id),
      ),
  );

  app.get(
    "/projects/:projectId/health-report",
    operation({
      id: "getProjectHealthReport",
      role: "viewer",
      tag,
      summary: "Shows a project with the numbers of its active, stale and potentially stale flags",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    (request) =>
      storage.read(async (db) => {
        const { projectId } = request.params;
        const overview = await readOverview(db, projectId, callerOf(request).account?.id);
        const counts = await countFlags(db, projectId);
        return {
          ...overview,
          health: toHealth(counts),
          activeCount: counts.total - counts.staleCount,
          staleCount: counts.staleCount,
          potentiallyStaleCount: counts.potentiallyStaleCount,
        };
      }),
  );

  app.get(
    "/projects/:projectId/status",
    operation({
      id: "getProjectStatus",
      role: "viewer",
      tag,
      summary: "Shows how many flags of a project should be cleaned up, and how active it is",
      returns: ProjectStatusResponse,
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    (request) => storage.read((db) => readProjectStatus(db, request.params.projectId)),
  );
}

/** @param userId whose favorites are marked; undefined for nobody's */
async function readProject(db: Database, id: string, userId: number | undefined) {
  const project = await getProject(db, id);
  const environments = await listProjectEnvironments(db, id);
  const defaultStrategyOf = await readDefaultStrategyViews(db, id);
  return {
    ...project,
    favorite: (await findFavoriteProjects(db, userId)).has(id),
    environments: environments.map((environment) => ({
      environment,
      ...defaultStrategyOf(environment),
    })),
  };
}

async function readOverview(db: Database, id: string, userId: number | undefined) {
  const project = await readProject(db, id, userId);
  return { version: 1, ...project, featureTypeCounts: await countTypes(db, id) };
}

function readProjectEnvironments(storage: Storage, id: string) {
  return storage.read(async (db) => {
    await getProject(db, id);
    const included = new Set(await listProjectEnvironments(db, id));
    const environments = await listEnvironments(db);
    const defaultStrategyOf = await readDefaultStrategyViews(db, id);
    return {
      version: 1,
      environments: environments.map((environment) => ({
        ...toEnvironmentView(environment),
        visible: included.has(environment.name),
        ...defaultStrategyOf(environment.name),
      })),
    };
  });
}

/** Returns a function that returns the property `defaultStrategy` for an environment, if there is one. */
async function readDefaultStrategyViews(db: Database, project: string) {
  const strategies = await readDefaultStrategies(db, project);
  return (environment: string) => {
    const strategy = strategies.get(environment);
    return strategy === undefined ? {} : { defaultStrategy: toDefaultStrategyView(strategy) };
  };
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects",
    operation({
      id: "createProject",
      role: "admin",
      tag,
      summary: "Creates a project. Without an id, derives one from its name",
      alsoFailsWith: [409],
      body: CreateProjectBody,
    }),
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createProject(transaction, request.body),
      );
      return reply.code(201).header("location", `projects/${created.id}`).send(created);
    },
  );

  app.post(
    "/projects/validate",
    operation({
      id: "validateProject",
      role: "viewer",
      tag,
      summary: "Checks whether an id is available for a new project",
      empty: 200,
      alsoFailsWith: [409],
      body: ProjectIdBody,
    }),
    async (request, reply) => {
      await checkIdIsAvailable(storage.db, request.body.id);
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/projects/:projectId",
    operation({
      id: "updateProject",
      role: "owner",
      tag,
      summary: "Updates the given properties of a project",
      empty: 200,
      alsoFailsWith: [404, 412],
      headers: IfMatchHeaders,
      params: ProjectParams,
      body: UpdateProjectBody,
    }),
    async (request, reply) => {
      const { projectId } = request.params;
      await writeIfMatch(storage, request, editedProject(projectId), (transaction) =>
        updateProject(transaction, projectId, request.body),
      );
      return reply.send();
    },
  );

  app.put(
    "/projects/:projectId/settings",
    operation({
      id: "updateProjectEnterpriseSettings",
      role: "owner",
      tag,
      summary: "Changes the mode of a project, its rule for names and the links of its flags",
      empty: 200,
      alsoFailsWith: [404, 412],
      headers: IfMatchHeaders,
      params: ProjectParams,
      body: ProjectSettingsBody,
    }),
    async (request, reply) => {
      const { projectId } = request.params;
      await writeIfMatch(storage, request, editedProject(projectId), (transaction) =>
        updateProjectSettings(transaction, projectId, request.body),
      );
      return reply.send();
    },
  );
}

function registerArchiving(app: TypedApp, storage: Storage): void {
  const operations = [
    {
      action: "archive",
      id: "archiveProject",
      summary: "Archives a project without active flags",
      run: archiveProject,
    },
    {
      action: "revive",
      id: "reviveProject",
      summary: "Revives an archived project",
      run: reviveProject,
    },
  ] as const;
  for (const { action, run, ...described } of operations) {
    const path: string = `/projects/${action}/:projectId`;
    const options = operation({
      ...described,
      role: "admin",
      tag,
      empty: 200,
      alsoFailsWith: [400, 404],
      params: ProjectParams,
    });
    app.post(path, options, async (request, reply) => {
      const { projectId } = request.params;
      await storage.write(actorOf(request), (transaction) => run(transaction, projectId));
      return reply.send();
    });
  }
}

function registerCloning(app: TypedApp, storage: Storage): void {
  app.post(
    "/environments/:environment/clone",
    operation({
      id: "cloneEnvironment",
      role: "admin",
      tag: "Environments",
      summary:
        "Creates an environment in which flags have the same states, strategies and variants",
      alsoFailsWith: [404, 409],
      params: EnvironmentParams,
      body: CloneEnvironmentBody,
    }),
    async (request) => {
      const { environment } = request.params;
      const created = await storage.write(actorOf(request), (transaction) =>
        cloneEnvironment(transaction, environment, request.body),
      );
      return toEnvironmentView(created);
    },
  );
}

function registerProjectEnvironments(app: TypedApp, storage: Storage): void {
  app.get(
    "/environments/project/:projectId",
    operation({
      id: "getProjectEnvironments",
      role: "viewer",
      tag: "Environments",
      summary: "Lists all environments and whether a project includes them",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    (request) => readProjectEnvironments(storage, request.params.projectId),
  );

  app.post(
    "/projects/:projectId/environments",
    operation({
      id: "addEnvironmentToProject",
      role: "owner",
      tag,
      summary: "Adds an environment to a project. Its flags are off there",
      empty: 200,
      alsoFailsWith: [404, 409],
      params: ProjectParams,
      body: ProjectEnvironmentBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        addEnvironment(transaction, request.params.projectId, request.body.environment),
      );
      return reply.send();
    },
  );

  app.delete(
    "/projects/:projectId/environments/:environment",
    operation({
      id: "removeEnvironmentFromProject",
      role: "owner",
      tag,
      summary: "Removes an environment from a project, including the strategies of its flags there",
      empty: 200,
      alsoFailsWith: [404],
      params: ProjectEnvironmentParams,
    }),
    async (request, reply) => {
      const { projectId, environment } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeEnvironment(transaction, projectId, environment),
      );
      return reply.send();
    },
  );
}
