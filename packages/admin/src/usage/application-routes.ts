import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../access/request-identity.ts";
import { parsePage } from "../http/parse-filter.ts";
import { documented } from "../http/schemas.ts";
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
import { deleteApplication } from "./write-applications.ts";
import {
  listApplications,
  listInstances,
  readApplication,
  readApplicationOverview,
} from "./read-applications.ts";

const tag = "Applications";
const LIST = "/metrics/applications";
const ONE = `${LIST}/:appName` as const;
const PAGE = { defaultLimit: 1000, maxLimit: 1000 };

/** Shows the applications that have registered, and the flags that they use. */
export function registerApplications(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the applications that have registered",
          returns: ApplicationsResponse,
          alsoFailsWith: [400],
        }),
        querystring: ApplicationsQuery,
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
        ...documented({
          tag,
          summary: "Shows an application with its instances and the flags that it uses",
          returns: ApplicationResponse,
          alsoFailsWith: [404],
        }),
        params: ApplicationParams,
      },
    },
    ({ params }) => storage.read((db) => readApplication(db, params.appName)),
  );

  app.get(
    `${ONE}/overview`,
    {
      schema: {
        ...documented({
          tag,
          summary:
            "Summarizes what an application uses in each environment, and what is missing here",
          returns: ApplicationOverviewResponse,
          alsoFailsWith: [404],
        }),
        params: ApplicationParams,
      },
    },
    ({ params }) => storage.read((db) => readApplicationOverview(db, params.appName)),
  );

  app.get(
    "/metrics/instances/:appName/environment/:environment",
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the instances of an application in an environment",
          returns: InstancesResponse,
        }),
        params: InstancesParams,
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
        ...documented({
          tag,
          summary: "Removes an application from the list until it registers again",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: ApplicationParams,
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
