import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../access/request-identity.ts";
import { parsePage } from "../http/parse-filter.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import {
  ApplicationOverviewResponse,
  ApplicationParams,
  ApplicationResponse,
  ApplicationsQuery,
  ApplicationsResponse,
  InstancesParams,
  InstancesResponse,
} from "./application-schemas.ts";
import { deleteApplication } from "./applications.ts";
import {
  listApplications,
  listInstances,
  readApplication,
  readApplicationOverview,
} from "./read-applications.ts";

const tags = ["Applications"];
const LIST = "/metrics/applications";
const ONE = `${LIST}/:appName` as const;
const PAGE = { defaultLimit: 1000, maxLimit: 1000 };

/** Shows the applications that have registered, and the flags that they use. */
export function registerApplications(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    {
      schema: {
        summary: "Lists the applications that have registered",
        tags,
        querystring: ApplicationsQuery,
        response: { 200: ApplicationsResponse, ...errorResponses(400, 401, 403, 503) },
      },
    },
    ({ query }) => {
      const { sortOrder = "asc" } = query;
      const search = { query: query.query, sortOrder };
      return storage.read((db) => listApplications(db, search, parsePage(query, PAGE)));
    },
  );
  registerDetails(app, storage);
  registerDeletion(app, storage);
}

function registerDetails(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    {
      schema: {
        summary: "Shows an application with its instances and the flags that it uses",
        tags,
        params: ApplicationParams,
        response: { 200: ApplicationResponse, ...errorResponses(401, 403, 404, 503) },
      },
    },
    ({ params }) => storage.read((db) => readApplication(db, params.appName)),
  );

  app.get(
    `${ONE}/overview`,
    {
      schema: {
        summary:
          "Summarizes what an application uses in each environment, and what is missing here",
        tags,
        params: ApplicationParams,
        response: { 200: ApplicationOverviewResponse, ...errorResponses(401, 403, 404, 503) },
      },
    },
    ({ params }) => storage.read((db) => readApplicationOverview(db, params.appName)),
  );

  app.get(
    "/metrics/instances/:appName/environment/:environment",
    {
      schema: {
        summary: "Lists the instances of an application in an environment",
        tags,
        params: InstancesParams,
        response: { 200: InstancesResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async ({ params }) => ({
      instances: await listInstances(storage.db, params.appName, params.environment),
    }),
  );
}

function registerDeletion(app: TypedApp, storage: Storage): void {
  app.delete(
    ONE,
    {
      schema: {
        summary: "Removes an application from the list until it registers again",
        tags,
        params: ApplicationParams,
        response: { 200: NoBody, ...errorResponses(401, 403, 404, 503) },
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteApplication(transaction, request.params.appName),
      );
      return reply.send();
    },
  );
}
