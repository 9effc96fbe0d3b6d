import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { countTypes, getProject, listEnvironmentsOf, listProjects } from "./find-projects.ts";
import { addEnvironment, removeEnvironment } from "./project-environments.ts";
import {
  CreateProjectBody,
  ProjectEnvironmentBody,
  ProjectEnvironmentParams,
  ProjectIdBody,
  ProjectListQuery,
  ProjectParams,
  UpdateProjectBody,
} from "./schemas.ts";
import {
  archiveProject,
  checkIdIsFree,
  createProject,
  reviveProject,
  updateProject,
} from "./write-projects.ts";

const tag = "Projects";

export function registerProjects(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerWriting(app, storage);
  registerChanging(app, storage);
  registerArchiving(app, storage);
  registerEnvironmentsOf(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/projects",
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the projects: the active ones, or the archived ones",
          alsoFailsWith: [400],
        }),
        querystring: ProjectListQuery,
      },
    },
    async (request) => ({
      version: 1,
      projects: await listProjects(storage.db, { archived: request.query.archived === "true" }),
    }),
  );

  app.get(
    "/projects/:projectId",
    {
      schema: {
        ...documented({ tag, summary: "Shows a project", alsoFailsWith: [404] }),
        params: ProjectParams,
      },
    },
    (request) => readProject(storage, request.params.projectId),
  );

  app.get(
    "/projects/:projectId/overview",
    {
      schema: {
        ...documented({
          tag,
          summary: "Shows a project, its environments and how many features it has",
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
      },
    },
    (request) => readOverview(storage, request.params.projectId),
  );
}

function readProject(storage: Storage, id: string) {
  return storage.read(async (db) => {
    const project = await getProject(db, id);
    return { ...project, mode: "open", environments: await listEnvironmentsOf(db, id) };
  });
}

function readOverview(storage: Storage, id: string) {
  return storage.read(async (db) => {
    const project = await getProject(db, id);
    const environments = await listEnvironmentsOf(db, id);
    return {
      version: 1,
      ...project,
      mode: "open",
      environments: environments.map((environment) => ({ environment })),
      featureTypeCounts: await countTypes(db, id),
    };
  });
}

function registerWriting(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects",
    {
      schema: {
        ...documented({
          tag,
          summary: "Makes a project; without an id, one is made of its name",
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: CreateProjectBody,
      },
    },
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createProject(transaction, request.body),
      );
      return reply.code(201).header("location", `projects/${created.id}`).send(created);
    },
  );

  app.post(
    "/projects/validate",
    {
      schema: {
        ...documented({
          tag,
          summary: "Tells whether an id can be given to a new project",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: ProjectIdBody,
      },
    },
    async (request, reply) => {
      await checkIdIsFree(storage.db, request.body.id);
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/projects/:projectId",
    {
      schema: {
        ...documented({
          tag,
          summary: "Changes a project: what is sent replaces, what is not sent stays",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
        body: UpdateProjectBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateProject(transaction, request.params.projectId, request.body),
      );
      return reply.send();
    },
  );
}

function registerArchiving(app: TypedApp, storage: Storage): void {
  const moves = [
    {
      word: "archive",
      summary: "Archives a project without active features",
      move: archiveProject,
    },
    { word: "revive", summary: "Brings an archived project back", move: reviveProject },
  ] as const;
  for (const { word, summary, move } of moves) {
    const schema = {
      ...documented({ tag, summary, empty: 200, alsoFailsWith: [400, 404] }),
      params: ProjectParams,
    };
    const path: string = `/projects/${word}/:projectId`;
    app.post(path, { schema }, async (request, reply) => {
      const { projectId } = request.params;
      await storage.write(actorOf(request), (transaction) => move(transaction, projectId));
      return reply.send();
    });
  }
}

function registerEnvironmentsOf(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects/:projectId/environments",
    {
      schema: {
        ...documented({
          tag,
          summary: "Adds an environment to a project; its features are off there",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404, 409],
        }),
        params: ProjectParams,
        body: ProjectEnvironmentBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        addEnvironment(transaction, request.params.projectId, request.body.environment),
      );
      return reply.send();
    },
  );

  app.delete(
    "/projects/:projectId/environments/:environment",
    {
      schema: {
        ...documented({
          tag,
          summary: "Takes an environment from a project, with what its features have there",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: ProjectEnvironmentParams,
      },
    },
    async (request, reply) => {
      const { projectId, environment } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeEnvironment(transaction, projectId, environment),
      );
      return reply.send();
    },
  );
}
