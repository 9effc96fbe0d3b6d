import { actorOf } from "../auth/actor-of.ts";
import { NameBody } from "../http/names.ts";
import { errorAnswers, NoBody } from "../http/schemas.ts";
import type { TypedApp } from "flags-service/http";
import { getProject, listEnvironmentsOf } from "../projects/find-projects.ts";
import type { Storage } from "../storage/storage.ts";
import {
  countInEnvironments,
  getEnvironment,
  listEnvironments,
  type Environment,
} from "./find-environments.ts";
import { CreateEnvironmentBody, EnvironmentParams, ProjectParams } from "./schemas.ts";
import { checkNameIsFree, createEnvironment, switchEnvironment } from "./write-environments.ts";

const tags = ["Environments"];

export function registerEnvironments(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerOfProject(app, storage);
  registerWriting(app, storage);
  registerSwitching(app, storage);
}

/** The protocol also knows protection and approvals, which there are none of here. */
function toView(environment: Environment) {
  return { ...environment, protected: false, requiredApprovals: null };
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/environments",
    { schema: { summary: "Lists the environments", tags, response: errorAnswers(401, 403, 503) } },
    () =>
      storage.read(async (db) => {
        const countsOf = await countInEnvironments(db);
        const all = await listEnvironments(db);
        return {
          version: 1,
          environments: all.map((environment) => ({
            ...toView(environment),
            ...countsOf(environment.name),
          })),
        };
      }),
  );

  app.get(
    "/environments/:environment",
    {
      schema: {
        summary: "Shows an environment",
        tags,
        params: EnvironmentParams,
        response: errorAnswers(401, 403, 404, 503),
      },
    },
    async (request) => toView(await getEnvironment(storage.db, request.params.environment)),
  );
}

function registerOfProject(app: TypedApp, storage: Storage): void {
  app.get(
    "/environments/project/:projectId",
    {
      schema: {
        summary: "Lists the environments and whether a project lives in them",
        tags,
        params: ProjectParams,
        response: errorAnswers(401, 403, 404, 503),
      },
    },
    (request) =>
      storage.read(async (db) => {
        const { id } = await getProject(db, request.params.projectId);
        const visible = new Set(await listEnvironmentsOf(db, id));
        const all = await listEnvironments(db);
        return {
          version: 1,
          environments: all.map((environment) => ({
            ...toView(environment),
            visible: visible.has(environment.name),
          })),
        };
      }),
  );
}

function registerWriting(app: TypedApp, storage: Storage): void {
  app.post(
    "/environments",
    {
      schema: {
        summary: "Makes an environment; projects are put into it one by one",
        tags,
        body: CreateEnvironmentBody,
        response: errorAnswers(400, 401, 403, 409, 413, 415, 503),
      },
    },
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createEnvironment(transaction, request.body),
      );
      return reply
        .code(201)
        .header("location", `environments/${created.name}`)
        .send(toView(created));
    },
  );

  app.post(
    "/environments/validate",
    {
      schema: {
        summary: "Tells whether a name can be given to a new environment",
        tags,
        body: NameBody,
        response: { 200: NoBody, ...errorAnswers(400, 401, 403, 409, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      await checkNameIsFree(storage.db, request.body.name);
      return reply.send();
    },
  );
}

function registerSwitching(app: TypedApp, storage: Storage): void {
  for (const [word, enabled] of [
    ["on", true],
    ["off", false],
  ] as const) {
    app.post(
      `/environments/:environment/${word}`,
      {
        schema: {
          summary: `Switches an environment ${word}`,
          tags,
          params: EnvironmentParams,
          response: { 204: NoBody, ...errorAnswers(400, 401, 403, 404, 503) },
        },
      },
      async (request, reply) => {
        const { environment } = request.params as { readonly environment: string };
        await storage.write(actorOf(request), (transaction) =>
          switchEnvironment(transaction, environment, enabled),
        );
        return reply.code(204).send();
      },
    );
  }
}
