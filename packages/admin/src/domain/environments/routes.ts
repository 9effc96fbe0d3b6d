import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import { NameBody } from "../../http/names.ts";
import type { TypedApp } from "flags-server-kit/http";
import { getProject, listEnvironmentsOf } from "../projects/find-projects.ts";
import type { Storage } from "../../storage/storage.ts";
import {
  countInEnvironments,
  type Environment,
  getEnvironment,
  listEnvironments,
} from "./find-environments.ts";
import { CreateEnvironmentBody, EnvironmentParams, ProjectParams } from "./schemas.ts";
import { checkNameIsFree, createEnvironment, switchEnvironment } from "./write-environments.ts";

const tag = "Environments";

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
  app.get("/environments", { schema: documented({ tag, summary: "Lists the environments" }) }, () =>
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
        ...documented({ tag, summary: "Shows an environment", alsoFailsWith: [404] }),
        params: EnvironmentParams,
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
        ...documented({
          tag,
          summary: "Lists the environments and whether a project lives in them",
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
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
        ...documented({
          tag,
          summary: "Makes an environment; projects are put into it one by one",
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: CreateEnvironmentBody,
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
        ...documented({
          tag,
          summary: "Tells whether a name can be given to a new environment",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: NameBody,
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
    const schema = {
      ...documented({
        tag,
        summary: `Switches an environment ${word}`,
        empty: 204,
        alsoFailsWith: [400, 404],
      }),
      params: EnvironmentParams,
    };
    const path: string = `/environments/:environment/${word}`;
    app.post(path, { schema }, async (request, reply) => {
      const { environment } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        switchEnvironment(transaction, environment, enabled),
      );
      return reply.code(204).send();
    });
  }
}
