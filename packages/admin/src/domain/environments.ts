import { and, count, eq, isNull, sql } from "drizzle-orm";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { actorOf } from "../access/request-identity.ts";
import { badData, exceedsLimit, nameExists, notFound } from "../errors.ts";
import { Name, NameBody } from "../http/names.ts";
import { documented, MAX_INT32, openObject } from "../http/schemas.ts";
import { LIMITS } from "../limits.ts";
import { type Database, firstRow } from "../storage/database.ts";
import { apiTokens } from "../storage/schema/access.ts";
import { featureEnvironments, features } from "../storage/schema/features.ts";
import {
  ENVIRONMENT_ORDER,
  environments,
  projectEnvironments,
  projects,
} from "../storage/schema/projects.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

const CreateEnvironmentBody = openObject("createEnvironmentSchema", {
  name: Name,
  type: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Its purpose, such as development, test, preproduction or production",
  }),
  enabled: Type.Optional(Type.Boolean()),
  sortOrder: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_INT32 })),
});

type CreateEnvironment = Type.Static<typeof CreateEnvironmentBody>;

const EnvironmentParams = Type.Object({ environment: Type.String() });

const tag = "Environments";

export function registerEnvironments(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreating(app, storage);
  registerSwitching(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get("/environments", { schema: documented({ tag, summary: "Lists the environments" }) }, () =>
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
    {
      schema: {
        ...documented({ tag, summary: "Shows an environment", alsoFailsWith: [404] }),
        params: EnvironmentParams,
      },
    },
    async ({ params }) => toEnvironmentView(await getEnvironment(storage.db, params.environment)),
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/environments",
    {
      schema: {
        ...documented({
          tag,
          summary: "Creates an environment without projects",
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
        .send(toEnvironmentView(created));
    },
  );

  app.post(
    "/environments/validate",
    {
      schema: {
        ...documented({
          tag,
          summary: "Checks whether a name is available for a new environment",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: NameBody,
      },
    },
    async (request, reply) => {
      await checkNameIsAvailable(storage.db, request.body.name);
      return reply.send();
    },
  );
}

function registerSwitching(app: TypedApp, storage: Storage): void {
  for (const [action, enabled] of [
    ["on", true],
    ["off", false],
  ] as const) {
    const schema = {
      ...documented({
        tag,
        summary: `Turns an environment ${action}`,
        empty: 204,
        alsoFailsWith: [400, 404],
      }),
      params: EnvironmentParams,
    };
    const path: string = `/environments/:environment/${action}`;
    app.post(path, { schema }, async (request, reply) => {
      const { environment } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        switchEnvironment(transaction, environment, enabled),
      );
      return reply.code(204).send();
    });
  }
}

type Environment = typeof environments.$inferSelect;

/** Names that conflict with other paths below `/environments/`. */
const RESERVED_NAMES = new Set(["project", "sort-order", "validate"]);

export async function findEnvironment(
  db: Database,
  name: string,
): Promise<Environment | undefined> {
  const [environment] = await db.select().from(environments).where(eq(environments.name, name));
  return environment;
}

/**
 * @throws {ApiError} if the environment does not exist
 */
export async function getEnvironment(db: Database, name: string): Promise<Environment> {
  const environment = await findEnvironment(db, name);
  if (environment === undefined) throw notFound(`There is no environment ${JSON.stringify(name)}`);
  return environment;
}

/** Lists all environments, in order. */
export function listEnvironments(db: Database): Promise<Environment[]> {
  return db
    .select()
    .from(environments)
    .orderBy(...ENVIRONMENT_ORDER);
}

/** An environment as responses show it. Protection and approvals are not supported. */
export function toEnvironmentView(environment: Environment) {
  return { ...environment, protected: false, requiredApprovals: null };
}

/** Usage of an environment: active projects, valid tokens, and active flags that are on. */
export interface EnvironmentCounts {
  readonly projectCount: number;
  readonly apiTokenCount: number;
  readonly enabledToggleCount: number;
}

async function countEnvironmentUsage(
  db: Database,
): Promise<(environment: string) => EnvironmentCounts> {
  const projectCounts = await countProjects(db);
  const tokenCounts = await countTokens(db);
  const enabledCounts = await countEnabledFeatures(db);
  return (environment) => ({
    projectCount: projectCounts.get(environment) ?? 0,
    apiTokenCount: tokenCounts.get(environment) ?? 0,
    enabledToggleCount: enabledCounts.get(environment) ?? 0,
  });
}

type Counts = ReadonlyMap<string, number>;

async function countProjects(db: Database): Promise<Counts> {
  const rows = await db
    .select({ name: projectEnvironments.environment, total: count() })
    .from(projectEnvironments)
    .innerJoin(projects, eq(projects.id, projectEnvironments.project))
    .where(isNull(projects.archivedAt))
    .groupBy(projectEnvironments.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countTokens(db: Database): Promise<Counts> {
  const rows = await db
    .select({ name: apiTokens.environment, total: count() })
    .from(apiTokens)
    .where(sql`${apiTokens.expiresAt} is null or ${apiTokens.expiresAt} > now()`)
    .groupBy(apiTokens.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countEnabledFeatures(db: Database): Promise<Counts> {
  const rows = await db
    .select({ name: featureEnvironments.environment, total: count() })
    .from(featureEnvironments)
    .innerJoin(features, eq(features.name, featureEnvironments.feature))
    .where(and(isNull(features.archivedAt), eq(featureEnvironments.enabled, true)))
    .groupBy(featureEnvironments.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function createEnvironment(
  { db, record }: WriteTransaction,
  { name, type, enabled, sortOrder }: CreateEnvironment,
): Promise<Environment> {
  await checkNameIsAvailable(db, name);
  const { total } = firstRow(await db.select({ total: count() }).from(environments));
  if (total >= LIMITS.environments) throw exceedsLimit("environments", LIMITS.environments);
  const created = firstRow(
    await db
      .insert(environments)
      .values({
        name,
        type,
        ...(enabled !== undefined && { enabled }),
        ...(sortOrder !== undefined && { sortOrder }),
      })
      .returning(),
  );
  await record({ type: "environment-created", environment: name, after: created });
  return created;
}

/**
 * @throws {ApiError} if the name is reserved or an environment has it
 */
async function checkNameIsAvailable(db: Database, name: string): Promise<void> {
  if (RESERVED_NAMES.has(name)) throw badData("/body/name", "is reserved: choose another name");
  if ((await findEnvironment(db, name)) !== undefined) {
    throw nameExists(`There is already an environment ${JSON.stringify(name)}`);
  }
}

/** Enables or disables an environment. New projects do not include disabled environments. */
async function switchEnvironment(
  { db, record }: WriteTransaction,
  name: string,
  enabled: boolean,
): Promise<void> {
  const before = await getEnvironment(db, name);
  if (before.enabled === enabled) return;
  const after = firstRow(
    await db.update(environments).set({ enabled }).where(eq(environments.name, name)).returning(),
  );
  await record({
    type: enabled ? "environment-enabled" : "environment-disabled",
    environment: name,
    before,
    after,
  });
}
