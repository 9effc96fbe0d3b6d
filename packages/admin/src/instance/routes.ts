import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { MAX_INLINED_LENGTH } from "flags-engine";
import { operation } from "../access/operation.ts";
import { closedObject } from "../http/schemas.ts";
import { LIMITS } from "../limits.ts";
import type { Storage } from "../storage/storage.ts";
import { version } from "../version.ts";
import { readInstallationId, readStatistics } from "./statistics.ts";

const Count = Type.Integer({ minimum: 0 });

const StatisticsResponse = closedObject("instanceAdminStatsSchema", {
  instanceId: Type.String({ description: "Identifies the database" }),
  timestamp: Type.String({ format: "date-time" }),
  versionOSS: Type.String({ description: "Version of this service" }),
  users: Type.Integer({
    minimum: 0,
    description: "Tokens for the admin API, and signed-in users of OpenID Connect",
  }),
  activeUsers: closedObject("activeUsersSchema", {
    last7: Count,
    last30: Count,
    last60: Count,
    last90: Count,
  }),
  productionChanges: closedObject("productionChangesSchema", {
    last30: Count,
    last60: Count,
    last90: Count,
  }),
  featureToggles: Count,
  projects: Count,
  contextFields: Count,
  roles: Count,
  groups: Count,
  environments: Count,
  segments: Count,
  strategies: Count,
  SAMLenabled: Type.Boolean(),
  OIDCenabled: Type.Boolean(),
  clientApps: Type.Array(closedObject("clientAppsSchema", { range: Type.String(), count: Count })),
  featureExports: Type.Integer({ minimum: 0, description: "Always 0: exports are not recorded" }),
  featureImports: Count,
  apiTokens: closedObject("apiTokenCountsSchema", { admin: Count, client: Count, frontend: Count }),
});

const ResourceLimits = closedObject(
  "resourceLimitsSchema",
  Object.fromEntries(Object.keys(toResourceLimits()).map((name) => [name, Count])),
);

const UiConfigResponse = closedObject("uiConfigSchema", {
  name: Type.String(),
  version: Type.String(),
  environment: Type.String(),
  unleashUrl: Type.String(),
  baseUriPath: Type.String(),
  frontendUrl: Type.Optional(
    Type.String({ description: "Address from which apps read flags, if it is configured" }),
  ),
  frontendKey: Type.Optional(
    Type.String({ description: "A public key for that address, if it is configured" }),
  ),
  flags: Type.Object({}, { title: "uiFlagsSchema", description: "Always empty" }),
  resourceLimits: ResourceLimits,
  versionInfo: closedObject("versionSchema", {
    current: closedObject("currentVersionSchema", { oss: Type.String() }),
    latest: Type.Object({}, { title: "latestVersionSchema", description: "Always empty" }),
    isLatest: Type.Boolean({ description: "Always true: the service does not look for updates" }),
    instanceId: Type.String(),
  }),
});

const tag = "Instance";
const STATISTICS = "/instance-admin/statistics";

export interface InstanceOptions {
  readonly storage: Storage;
  /** Where users open the console. @default the host of the request */
  readonly publicUrl?: string | undefined;
  /** What the code for apps contains. */
  readonly frontendUrl?: string | undefined;
  readonly frontendKey?: string | undefined;
  readonly hasOpenId?: boolean;
}

/** Routes that describe this installation, for tools. */
export function registerInstance(app: TypedApp, options: InstanceOptions): void {
  registerStatistics(app, options);
  registerUiConfig(app, options);
}

function registerStatistics(app: TypedApp, { storage, hasOpenId = false }: InstanceOptions): void {
  const read = async () => ({
    instanceId: await readInstallationId(storage),
    timestamp: new Date().toISOString(),
    SAMLenabled: false,
    OIDCenabled: hasOpenId,
    ...(await storage.read((db) => readStatistics(db))),
  });

  app.get(
    STATISTICS,
    operation({
      id: "getInstanceAdminStats",
      role: "viewer",
      tag,
      summary: "Counts what exists in this installation",
      returns: StatisticsResponse,
    }),
    read,
  );

  app.get(
    `${STATISTICS}/csv`,
    operation({
      id: "getInstanceAdminStatsCsv",
      role: "viewer",
      tag,
      summary: "Counts what exists in this installation, as a CSV file of two lines",
    }),
    async (_request, reply) => reply.type("text/csv; charset=utf-8").send(toCsv(await read())),
  );
}

function toCsv(values: object): string {
  const lines = [
    Object.keys(values).map((name) => quote(name)),
    Object.values(values).map((value: unknown) =>
      quote(typeof value === "string" ? value : JSON.stringify(value)),
    ),
  ];
  return `${lines.map((cells) => cells.join(",")).join("\n")}\n`;
}

function registerUiConfig(app: TypedApp, options: InstanceOptions): void {
  const { storage, publicUrl, frontendUrl, frontendKey } = options;
  app.get(
    "/ui-config",
    operation({
      id: "getUiConfig",
      role: "viewer",
      tag,
      summary: "Shows the version, the address and the limits of this service",
      returns: UiConfigResponse,
    }),
    async (request) => {
      // NOTE: the host can have an invalid port, so that it is not part of a URL.
      const url = publicUrl ?? `${request.protocol}://${request.host}`;
      return {
        name: "flags-admin",
        version,
        environment: "Open Source",
        unleashUrl: url.replace(/\/$/, ""),
        baseUriPath: publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, ""),
        frontendUrl,
        frontendKey,
        flags: {},
        resourceLimits: toResourceLimits(),
        versionInfo: {
          current: { oss: version },
          latest: {},
          isLatest: true,
          instanceId: await readInstallationId(storage),
        },
      };
    },
  );
}

/** Limits of what is not supported are 0. Names are those of Unleash, except for sizes, which are in bytes. */
function toResourceLimits() {
  return {
    segmentValues: LIMITS.valuesPerSegment,
    segmentBytes: LIMITS.segmentBytes,
    allSegmentsBytes: LIMITS.allSegmentsBytes,
    repeatedSegmentsBytes: MAX_INLINED_LENGTH,
    environmentBytes: LIMITS.environmentBytes,
    strategySegments: LIMITS.segmentsPerStrategy,
    featureEnvironmentStrategies: LIMITS.strategiesPerEnvironment,
    constraintValues: LIMITS.valuesPerConstraint,
    constraints: LIMITS.constraintsPerStrategy,
    environments: LIMITS.environments,
    projects: LIMITS.projects,
    apiTokens: LIMITS.apiTokens,
    segments: LIMITS.segments,
    featureFlags: LIMITS.features,
    actionSetActions: 0,
    actionSetsPerProject: 0,
    actionSetFilters: 0,
    actionSetFilterValues: 0,
    signalEndpoints: 0,
    signalTokensPerEndpoint: 0,
    releaseTemplates: 0,
  };
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
