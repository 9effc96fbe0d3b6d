import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { getProject } from "../domain/projects/store.ts";
import { ProjectParams } from "../domain/schemas.ts";
import { OptionalSearchText, OptionalText, parsePage } from "../http/parse-filter.ts";
import { operation } from "../access/operation.ts";
import type { Storage } from "../storage/storage.ts";
import {
  listApplications,
  listInstances,
  listProjectApplications,
  readApplication,
  readApplicationOverview,
} from "./read-applications.ts";
import { listUnknownFlags } from "./unknown-flags.ts";
import { deleteApplication } from "./write-applications.ts";

const Texts = Type.Array(Type.String());
const Time = Type.String({ format: "date-time" });
const OptionalVersion = Type.Union([Type.String(), Type.Null()]);

const ApplicationParams = Type.Object({ appName: Type.String() });
const InstancesParams = Type.Object({ appName: Type.String(), environment: Type.String() });

const ApplicationsQuery = Type.Object({
  query: OptionalSearchText,
  sortOrder: Type.Optional(
    Type.Unsafe<"asc" | "desc">({
      type: "string",
      enum: ["asc", "desc"],
      description: "Order of the names, asc by default",
    }),
  ),
  offset: OptionalText,
  limit: Type.Optional(Type.String({ description: "1 to 1000, which is the default" })),
});

const ApplicationsResponse = Type.Object(
  {
    total: Type.Integer({ description: "Number of applications on all pages" }),
    applications: Type.Array(
      Type.Object(
        {
          appName: Type.String(),
          sdkVersion: OptionalVersion,
          strategies: Texts,
          environments: Texts,
          createdAt: Time,
          lastSeenAt: Time,
          missingFlagCount: Type.Integer({
            description: "How many flags it asks for that do not exist, or are archived",
          }),
          missingFlags: Type.Array(
            Type.Object(
              { name: Type.String(), archivedAt: Type.Optional(Time), project: OptionalText },
              { title: "applicationMissingFlagSchema" },
            ),
            { description: "The first five of them" },
          ),
          usage: Type.Array(
            Type.Object(
              { project: Type.String(), environments: Texts },
              { title: "applicationUsageSchema" },
            ),
          ),
        },
        { title: "applicationSchema" },
      ),
    ),
  },
  { title: "applicationsSchema" },
);

const ProjectApplicationsQuery = Type.Object({
  ...ApplicationsQuery.properties,
  sortBy: Type.Optional(Type.Unsafe<"appName">({ type: "string", enum: ["appName"] })),
  limit: Type.Optional(Type.String({ description: "1 to 1000, 50 by default" })),
});

const ProjectApplicationsResponse = Type.Object(
  {
    total: Type.Integer({ description: "Number of applications on all pages" }),
    applications: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          environments: Texts,
          instances: Texts,
          sdks: Type.Array(
            Type.Object(
              { name: Type.String(), versions: Texts },
              { title: "projectApplicationSdkSchema" },
            ),
          ),
        },
        { title: "projectApplicationSchema" },
      ),
    ),
  },
  { title: "projectApplicationsSchema" },
);

const ClientIp = Type.Null({ description: "Addresses are not stored" });

const ApplicationResponse = Type.Object(
  {
    appName: Type.String(),
    createdAt: Time,
    sdkVersion: OptionalVersion,
    strategies: Texts,
    instances: Type.Array(
      Type.Object(
        {
          appName: Type.String(),
          environment: Type.String(),
          instanceId: Type.String(),
          sdkVersion: OptionalVersion,
          clientIp: ClientIp,
          createdAt: Time,
          lastSeen: Time,
        },
        { title: "applicationInstanceSchema" },
      ),
    ),
    seenToggles: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          project: OptionalText,
          type: OptionalText,
          description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          notFound: Type.Optional(
            Type.Boolean({ description: "true if there is no flag of this name" }),
          ),
          archivedAt: Type.Optional(Time),
        },
        { title: "applicationFeatureSchema" },
      ),
    ),
  },
  { title: "applicationDetailsSchema" },
);

const ApplicationOverviewResponse = Type.Object(
  {
    projects: Texts,
    featureCount: Type.Integer(),
    environments: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          instanceCount: Type.Integer(),
          sdks: Texts,
          backendSdks: Texts,
          frontendSdks: Texts,
          lastSeen: Time,
          issues: Type.Object(
            { missingFeatures: Texts, outdatedSdks: Texts },
            { title: "applicationEnvironmentIssuesSchema" },
          ),
        },
        { title: "applicationOverviewEnvironmentSchema" },
      ),
    ),
    issues: Type.Object({ missingStrategies: Texts }, { title: "applicationOverviewIssuesSchema" }),
  },
  { title: "applicationOverviewSchema" },
);

const InstancesResponse = Type.Object(
  {
    instances: Type.Array(
      Type.Object(
        {
          instanceId: Type.String(),
          sdkVersion: OptionalVersion,
          clientIp: ClientIp,
          lastSeen: Time,
        },
        { title: "applicationEnvironmentInstanceSchema" },
      ),
    ),
  },
  { title: "applicationEnvironmentInstancesSchema" },
);

const UnknownFlagsResponse = Type.Object(
  {
    unknownFlags: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          lastSeenAt: Time,
          archivedAt: Type.Optional(
            Type.String({
              format: "date-time",
              description: "When a flag of this name was archived",
            }),
          ),
          project: Type.Optional(Type.String({ description: "Of the archived flag" })),
          reports: Type.Array(
            Type.Object(
              {
                appName: Type.String(),
                environments: Type.Array(
                  Type.Object(
                    { environment: Type.String(), seenAt: Time },
                    { title: "unknownFlagEnvironmentSchema" },
                  ),
                ),
              },
              { title: "unknownFlagReportSchema" },
            ),
          ),
        },
        { title: "unknownFlagSchema" },
      ),
    ),
  },
  { title: "unknownFlagsResponseSchema" },
);

const tag = "Applications";
const LIST = "/metrics/applications";
const ONE = `${LIST}/:appName` as const;
const PAGE = { defaultLimit: 1000, maxLimit: 1000 };

/** Shows the applications that have registered, and the flags that they use. */
export function registerApplications(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    operation({
      id: "getApplications",
      role: "viewer",
      tag,
      summary: "Lists the applications that have registered",
      returns: ApplicationsResponse,
      alsoFailsWith: [400],
      querystring: ApplicationsQuery,
    }),
    (request) => {
      const { query } = request;
      const { projects } = callerOf(request);
      const { sortOrder = "asc" } = query;
      const search = { query: query.query, sortOrder };
      return storage.read((db) => listApplications(db, search, parsePage(query, PAGE), projects));
    },
  );

  app.get(
    "/projects/:projectId/applications",
    operation({
      id: "getProjectApplications",
      role: "viewer",
      tag,
      summary: "Lists the applications that use flags of a project",
      returns: ProjectApplicationsResponse,
      alsoFailsWith: [400, 404],
      params: ProjectParams,
      querystring: ProjectApplicationsQuery,
    }),
    ({ params: { projectId }, query }) => {
      const { sortOrder = "asc" } = query;
      const page = parsePage(query, { ...PAGE, defaultLimit: 50 });
      return storage.read(async (db) => {
        await getProject(db, projectId);
        return listProjectApplications(db, projectId, { query: query.query, sortOrder }, page);
      });
    },
  );
  registerDetails(app, storage);
  registerDeletion(app, storage);
}

function registerDetails(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    operation({
      id: "getApplication",
      role: "viewer",
      tag,
      summary: "Shows an application with its instances and the flags that it uses",
      returns: ApplicationResponse,
      alsoFailsWith: [404],
      params: ApplicationParams,
    }),
    (request) =>
      storage.read((db) => readApplication(db, request.params.appName, callerOf(request).projects)),
  );

  app.get(
    `${ONE}/overview`,
    operation({
      id: "getApplicationOverview",
      role: "viewer",
      tag,
      summary: "Summarizes what an application uses in each environment, and what is missing here",
      returns: ApplicationOverviewResponse,
      alsoFailsWith: [404],
      params: ApplicationParams,
    }),
    (request) =>
      storage.read((db) =>
        readApplicationOverview(db, request.params.appName, callerOf(request).projects),
      ),
  );

  app.get(
    "/metrics/unknown-flags",
    operation({
      id: "getUnknownFlags",
      role: "viewer",
      tag,
      summary:
        "Lists the flags that applications ask for although they do not exist, or are archived",
      returns: UnknownFlagsResponse,
    }),
    async (request) => ({
      unknownFlags: await listUnknownFlags(storage.db, callerOf(request).projects),
    }),
  );

  app.get(
    "/metrics/instances/:appName/environment/:environment",
    operation({
      id: "getApplicationEnvironmentInstances",
      role: "viewer",
      tag,
      summary: "Lists the instances of an application in an environment",
      returns: InstancesResponse,
      params: InstancesParams,
    }),
    async (request) => {
      const { appName, environment } = request.params;
      const { projects } = callerOf(request);
      return { instances: await listInstances(storage.db, appName, environment, projects) };
    },
  );
}

function registerDeletion(app: TypedApp, storage: Storage): void {
  app.delete(
    ONE,
    operation({
      id: "deleteApplication",
      role: "admin",
      tag,
      summary: "Removes an application from the list until it registers again",
      empty: 200,
      alsoFailsWith: [404],
      params: ApplicationParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteApplication(transaction, request.params.appName),
      );
      return reply.send();
    },
  );
}
