import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import {
  and,
  eq,
  exists,
  ilike,
  inArray,
  max,
  min,
  ne,
  not,
  notInArray,
  or,
  sql,
  type SQL,
} from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { ProjectAccess } from "../access/project-access.ts";
import { notFound } from "../errors.ts";
import type { Page } from "../http/parse-filter.ts";
import {
  type Database,
  firstRow,
  groupBy,
  isOneOf,
  likePattern,
  orderByText,
  sortDistinct,
} from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";
import { strategyTypes } from "../storage/schema/strategies.ts";
import {
  applicationInstances,
  applications,
  featureUsage,
  unknownFlags,
  OTHER_APPLICATIONS,
} from "../storage/schema/usage.ts";
import { listUnknownFlags } from "./unknown-flags.ts";

interface ApplicationSearch {
  /** Part of the name. @default any name */
  readonly query: string | undefined;
  readonly sortOrder: "asc" | "desc";
}

/**
 * Matches the applications that somebody can see. Those that use only flags of hidden projects do not exist for them.
 */
function isVisible(db: Database, access: ProjectAccess): SQL | undefined {
  if (access.hidden.length === 0) return undefined;
  const uses = (condition: SQL | undefined) =>
    exists(
      db
        .select({ one: sql`1` })
        .from(featureUsage)
        .innerJoin(features, eq(features.name, featureUsage.feature))
        .where(and(eq(featureUsage.appName, applications.appName), condition)),
    );
  return or(
    uses(access.isVisible(features.project)),
    not(uses(inArray(features.project, [...access.hidden]))),
  );
}

/** Lists a page of the applications by name, with the projects and environments whose flags they use. */
export async function listApplications(
  db: Database,
  search: ApplicationSearch,
  page: Page,
  access: ProjectAccess,
) {
  const condition = and(
    search.query === undefined ? undefined : ilike(applications.appName, likePattern(search.query)),
    isVisible(db, access),
  );
  const name = orderByText(applications.appName);
  const rows = await db
    .select({
      appName: applications.appName,
      sdkVersion: max(applications.sdkVersion),
      strategies: sql<readonly (readonly string[])[]>`jsonb_agg(${applications.strategies})`,
      environments: sql<
        readonly string[]
      >`jsonb_agg(${applications.environment} order by ${orderByText(applications.environment)})`,
      createdAt: min(applications.firstSeenAt),
      lastSeenAt: max(applications.lastSeenAt),
    })
    .from(applications)
    .where(condition)
    .groupBy(applications.appName)
    .orderBy(search.sortOrder === "desc" ? sql`${name} desc` : name)
    .limit(page.limit)
    .offset(page.offset);
  const { total } = firstRow(
    await db
      .select({ total: sql<number>`count(distinct ${applications.appName})::int` })
      .from(applications)
      .where(condition),
  );
  const usage = await readUsedProjects(
    db,
    rows.map(({ appName }) => appName),
    access,
  );
  const usageOf = groupBy(usage, ({ appName }) => appName);
  const missingOf = await readMissingFlags(
    db,
    rows.map(({ appName }) => appName),
    access,
  );
  return {
    total,
    applications: rows.map(({ strategies, ...row }) => ({
      ...row,
      strategies: sortDistinct(strategies.flat()),
      missingFlagCount: missingOf.get(row.appName)?.length ?? 0,
      missingFlags: missingOf.get(row.appName)?.slice(0, MAX_LISTED_FLAGS) ?? [],
      usage: [...groupBy(usageOf.get(row.appName) ?? [], ({ project }) => project)].map(
        ([project, ofProject]) => ({
          project,
          environments: ofProject.map(({ environment }) => environment),
        }),
      ),
    })),
  };
}

/** How many missing flags of each application a list contains. */
const MAX_LISTED_FLAGS = 5;

/** Reads which flags applications ask for although they do not exist, by application. */
async function readMissingFlags(db: Database, appNames: readonly string[], access: ProjectAccess) {
  const unknown = await listUnknownFlags(db, access, appNames);
  const pairs = unknown.flatMap(({ name, archivedAt, project, reports }) =>
    reports.map(({ appName }) => ({
      appName,
      flag: { name, ...(archivedAt && { archivedAt }), ...(project && { project }) },
    })),
  );
  return new Map(
    [...groupBy(pairs, ({ appName }) => appName)].map(([appName, ofApplication]) => [
      appName,
      ofApplication.map(({ flag }) => flag),
    ]),
  );
}

/** Lists a page of the applications that use flags of a project, by name. */
export async function listProjectApplications(
  db: Database,
  project: string,
  search: ApplicationSearch,
  page: Page,
) {
  const uses = await db
    .select({ appName: featureUsage.appName, environment: featureUsage.environment })
    .from(featureUsage)
    .innerJoin(features, eq(features.name, featureUsage.feature))
    .where(and(eq(features.project, project), ne(featureUsage.appName, OTHER_APPLICATIONS)))
    .groupBy(featureUsage.appName, featureUsage.environment)
    .orderBy(
      search.sortOrder === "desc"
        ? sql`${orderByText(featureUsage.appName)} desc`
        : orderByText(featureUsage.appName),
      orderByText(featureUsage.environment),
    );
  const environmentsOf = groupBy(uses, ({ appName }) => appName);
  const query = search.query?.toLowerCase() ?? "";
  const names = [...environmentsOf.keys()].filter((name) => name.toLowerCase().includes(query));
  const listed = names.slice(page.offset, page.offset + page.limit);
  const instances = await db
    .select()
    .from(applicationInstances)
    .where(isOneOf(applicationInstances.appName, listed))
    .orderBy(orderByText(applicationInstances.instanceId));
  const instancesOf = groupBy(instances, ({ appName }) => appName);
  return {
    total: names.length,
    applications: listed.map((name) => {
      const environments = (environmentsOf.get(name) ?? []).map(({ environment }) => environment);
      const here = (instancesOf.get(name) ?? []).filter(({ environment }) =>
        environments.includes(environment),
      );
      return {
        name,
        environments,
        instances: sortDistinct(here.map(({ instanceId }) => instanceId)),
        sdks: toSdks(here.flatMap(({ sdkVersion }) => sdkVersion ?? [])),
      };
    }),
  };
}

/** Groups versions of SDKs, such as `unleash-client-node:6.1.0`, by the name of the SDK. */
function toSdks(sdkVersions: readonly string[]) {
  const parts = sortDistinct(sdkVersions).map((text) => {
    const [name = "", ...version] = text.split(":");
    return { name, version: version.join(":") };
  });
  return [...groupBy(parts, ({ name }) => name)].map(([name, same]) => ({
    name,
    versions: same.flatMap(({ version }) => (version === "" ? [] : [version])),
  }));
}

function readUsedProjects(db: Database, appNames: readonly string[], access: ProjectAccess) {
  return db
    .select({
      appName: featureUsage.appName,
      project: features.project,
      environment: featureUsage.environment,
    })
    .from(featureUsage)
    .innerJoin(features, eq(features.name, featureUsage.feature))
    .where(and(isOneOf(featureUsage.appName, appNames), access.isVisible(features.project)))
    .groupBy(featureUsage.appName, features.project, featureUsage.environment)
    .orderBy(orderByText(features.project), orderByText(featureUsage.environment));
}

/**
 * Reads an application with its instances and the flags that it uses.
 *
 * @throws {ApiError} if the application is unknown
 */
export async function readApplication(db: Database, appName: string, access: ProjectAccess) {
  const rows = await getRows(db, appName, access);
  const used = await readUsedFeatures(db, appName, access);
  const instances = await selectInstances(db, appName);
  return {
    appName,
    createdAt: earliest(rows.map(({ firstSeenAt }) => firstSeenAt)),
    sdkVersion: rows.find(({ sdkVersion }) => sdkVersion !== null)?.sdkVersion ?? null,
    strategies: sortDistinct(rows.flatMap(({ strategies }) => strategies)),
    instances: instances.map(({ firstSeenAt, lastSeenAt, sdkType: _sdkType, ...instance }) => ({
      appName,
      ...instance,
      clientIp: null,
      createdAt: firstSeenAt,
      lastSeen: lastSeenAt,
    })),
    seenToggles: distinctBy(used, ({ name }) => name).map(
      ({ name, project, type, description, archivedAt }) =>
        project === null
          ? { name, notFound: true }
          : { name, project, type, description, ...(archivedAt && { archivedAt }) },
    ),
  };
}

/**
 * Reads which projects, flags, SDKs and instances an application has in each environment, and which of its
 * flags and strategies do not exist here.
 *
 * @throws {ApiError} if the application is unknown
 */
export async function readApplicationOverview(
  db: Database,
  appName: string,
  access: ProjectAccess,
) {
  const rows = await getRows(db, appName, access);
  const used = await readUsedFeatures(db, appName, access);
  const instances = await selectInstances(db, appName);
  const known = await db.select({ name: strategyTypes.name }).from(strategyTypes);
  const strategies = new Set([...BUILT_IN_STRATEGY_NAMES, ...known.map(({ name }) => name)]);
  return {
    projects: sortDistinct(used.flatMap(({ project }) => project ?? [])),
    featureCount: new Set(used.map(({ name }) => name)).size,
    environments: rows.map(({ environment, lastSeenAt }) => {
      const here = instances.filter((instance) => instance.environment === environment);
      const versionsOf = (types: readonly string[]): readonly string[] =>
        sortDistinct(
          here.flatMap((one) => (types.includes(one.sdkType) ? (one.sdkVersion ?? []) : [])),
        );
      return {
        name: environment,
        instanceCount: here.length,
        sdks: versionsOf(["backend", "frontend"]),
        backendSdks: versionsOf(["backend"]),
        frontendSdks: versionsOf(["frontend"]),
        lastSeen: lastSeenAt,
        issues: {
          missingFeatures: used
            .filter((flag) => flag.environment === environment && flag.project === null)
            .map(({ name }) => name),
          outdatedSdks: [],
        },
      };
    }),
    issues: {
      missingStrategies: sortDistinct(rows.flatMap((row) => row.strategies)).filter(
        (name) => !strategies.has(name),
      ),
    },
  };
}

/** Lists the instances of an application in an environment. */
export async function listInstances(
  db: Database,
  appName: string,
  environment: string,
  access: ProjectAccess,
) {
  if ((await findRows(db, appName, access)).length === 0) return [];
  const rows = await selectInstances(db, appName);
  return rows
    .filter((row) => row.environment === environment)
    .map(({ instanceId, sdkVersion, lastSeenAt }) => ({
      instanceId,
      sdkVersion,
      clientIp: null,
      lastSeen: lastSeenAt,
    }));
}

function findRows(db: Database, appName: string, access: ProjectAccess) {
  return db
    .select()
    .from(applications)
    .where(and(eq(applications.appName, appName), isVisible(db, access)))
    .orderBy(orderByText(applications.environment));
}

async function getRows(db: Database, appName: string, access: ProjectAccess) {
  const rows = await findRows(db, appName, access);
  if (rows.length === 0) throw notFound(`There is no application ${JSON.stringify(appName)}`);
  return rows;
}

function selectInstances(db: Database, appName: string) {
  return db
    .select({
      environment: applicationInstances.environment,
      instanceId: applicationInstances.instanceId,
      sdkType: applicationInstances.sdkType,
      sdkVersion: applicationInstances.sdkVersion,
      firstSeenAt: applicationInstances.firstSeenAt,
      lastSeenAt: applicationInstances.lastSeenAt,
    })
    .from(applicationInstances)
    .where(eq(applicationInstances.appName, appName))
    .orderBy(
      orderByText(applicationInstances.environment),
      orderByText(applicationInstances.instanceId),
    );
}

/**
 * Lists the visible flags that an application has evaluated. Those that do not exist have no project, and so are not
 * visible if any project is hidden.
 */
function readUsedFeatures(db: Database, appName: string, access: ProjectAccess) {
  const isVisibleFlag =
    access.hidden.length === 0 ? undefined : notInArray(features.project, [...access.hidden]);
  const used = union(
    db
      .select({ feature: featureUsage.feature, environment: featureUsage.environment })
      .from(featureUsage)
      .where(eq(featureUsage.appName, appName)),
    db
      .select({ feature: unknownFlags.feature, environment: unknownFlags.environment })
      .from(unknownFlags)
      .where(eq(unknownFlags.appName, appName)),
  ).as("used");
  return db
    .select({
      name: used.feature,
      environment: used.environment,
      project: features.project,
      type: features.type,
      description: features.description,
      archivedAt: features.archivedAt,
    })
    .from(used)
    .leftJoin(features, eq(features.name, used.feature))
    .where(isVisibleFlag)
    .orderBy(sql`${used.feature} collate "C"`, sql`${used.environment} collate "C"`);
}

function earliest(dates: readonly Date[]): Date | undefined {
  return dates.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

function distinctBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
