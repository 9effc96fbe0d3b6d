import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf } from "../../access/request-identity.ts";
import { NameBody } from "../../http/names.ts";
import { operation } from "../../access/operation.ts";
import type { Storage } from "../../storage/storage.ts";
import {
  createEnvironment,
  deleteEnvironment,
  sortEnvironments,
  switchEnvironment,
  updateEnvironment,
} from "./change-environments.ts";
import {
  CreateEnvironmentBody,
  EnvironmentParams,
  SortOrderBody,
  UpdateEnvironmentBody,
} from "./schemas.ts";
import {
  checkNameIsAvailable,
  countEnvironmentUsage,
  getEnvironment,
  listEnvironments,
  toEnvironmentView,
} from "./store.ts";

const tag = "Environments";

export function registerEnvironments(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
  registerSwitching(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/environments",
    operation({ id: "getAllEnvironments", role: "viewer", tag, summary: "Lists the environments" }),
    () =>
      storage.read(async (db) => {
        const countsOf = await countEnvironmentUsage(db);
        const environments = await listEnvironments(db);
        return {
          version: 1,
          environments: environments.map((environment) => ({
            ...toEnvironmentView(environment),
            ...countsOf(environment.name),
          })),
        };
      }),
  );

  app.get(
    "/environments/:environment",
    operation({
      id: "getEnvironment",
      role: "viewer",
      tag,
      summary: "Shows an environment",
      alsoFailsWith: [404],
      params: EnvironmentParams,
    }),
    async ({ params }) => toEnvironmentView(await getEnvironment(storage.db, params.environment)),
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/environments",
    operation({
      id: "createEnvironment",
      role: "admin",
      tag,
      summary: "Creates an environment without projects",
      alsoFailsWith: [409],
      body: CreateEnvironmentBody,
    }),
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createEnvironment(transaction, request.body),
      );
      return reply
        .code(201)
        .header("location", `environments/${created.name}`)
        .send(toEnvironmentView(created));
    },
  );

  app.post(
    "/environments/validate",
    operation({
      id: "validateEnvironmentName",
      role: "viewer",
      tag,
      summary: "Checks whether a name is available for a new environment",
      empty: 200,
      alsoFailsWith: [409],
      body: NameBody,
    }),
    async (request, reply) => {
      await checkNameIsAvailable(storage.db, request.body.name);
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/environments/sort-order",
    operation({
      id: "updateSortOrder",
      role: "admin",
      tag,
      summary: "Sets the sort orders of environments, by name",
      empty: 200,
      body: SortOrderBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        sortEnvironments(transaction, request.body),
      );
      return reply.send();
    },
  );

  app.put(
    "/environments/update/:environment",
    operation({
      id: "updateEnvironment",
      role: "admin",
      tag,
      summary: "Updates the given properties of an environment",
      alsoFailsWith: [404],
      params: EnvironmentParams,
      body: UpdateEnvironmentBody,
    }),
    async (request) => {
      const { environment } = request.params;
      const updated = await storage.write(actorOf(request), (transaction) =>
        updateEnvironment(transaction, environment, request.body),
      );
      return toEnvironmentView(updated);
    },
  );

  app.delete(
    "/environments/:environment",
    operation({
      id: "removeEnvironment",
      role: "admin",
      tag,
      summary: "Deletes an environment that no project and no token uses",
      empty: 200,
      alsoFailsWith: [404],
      params: EnvironmentParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteEnvironment(transaction, request.params.environment),
      );
      return reply.send();
    },
  );
}

function registerSwitching(app: TypedApp, storage: Storage): void {
  for (const [action, id, enabled] of [
    ["on", "toggleEnvironmentOn", true],
    ["off", "toggleEnvironmentOff", false],
  ] as const) {
    const options = operation({
      id,
      role: "admin",
      tag,
      summary: `Turns an environment ${action}`,
      empty: 204,
      alsoFailsWith: [400, 404],
      params: EnvironmentParams,
    });
    const path: string = `/environments/:environment/${action}`;
    app.post(path, options, async (request, reply) => {
      const { environment } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        switchEnvironment(transaction, environment, enabled),
      );
      return reply.code(204).send();
    });
  }
}
