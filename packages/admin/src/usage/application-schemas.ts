import { Type } from "typebox";
import { OptionalSearchText, OptionalText } from "../http/parse-filter.ts";

const Texts = Type.Array(Type.String());
const Time = Type.String({ format: "date-time" });
const OptionalVersion = Type.Union([Type.String(), Type.Null()]);

export const ApplicationParams = Type.Object({ appName: Type.String() });
export const InstancesParams = Type.Object({ appName: Type.String(), environment: Type.String() });

export const ApplicationsQuery = Type.Object({
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

export const ApplicationsResponse = Type.Object(
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

const ClientIp = Type.Null({ description: "Addresses are not stored" });

export const ApplicationResponse = Type.Object(
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
            Type.Boolean({ description: "true if the flag has been deleted" }),
          ),
        },
        { title: "applicationFeatureSchema" },
      ),
    ),
  },
  { title: "applicationDetailsSchema" },
);

export const ApplicationOverviewResponse = Type.Object(
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

export const InstancesResponse = Type.Object(
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
