import { and, eq } from "drizzle-orm";
import { Type } from "typebox";
import { operation } from "../access/operation.ts";
import { actorOf } from "../access/request-identity.ts";
import { MAX_APPROVALS } from "../domain/environments/schemas.ts";
import { getEnvironment, listEnvironments } from "../domain/environments/store.ts";
import { notInProject } from "../domain/feature-environment.ts";
import { getProject, listProjectEnvironments } from "../domain/projects/store.ts";
import { ProjectEnvironmentParams, ProjectParams } from "../domain/schemas.ts";
import { badData, invalidOperation } from "../errors.ts";
import { bodyObject } from "../http/schemas.ts";
import type { TypedApp } from "../http/typed-app.ts";
import {
  approvalsIn,
  type Place,
  readApprovalsIn,
  readProtectedPlaces,
} from "../storage/protected-places.ts";
import type { Database } from "../storage/database.ts";
import { projectEnvironments } from "../storage/schema/projects.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

const tag = "Change requests";

const ConfigBody = bodyObject(
  "updateChangeRequestEnvironmentConfigSchema",
  {
    changeRequestsEnabled: Type.Boolean(),
    requiredApprovals: Type.Optional(
      Type.Unsafe<number | null>({
        type: ["integer", "null"],
        minimum: 1,
        maximum: MAX_APPROVALS,
        description: "How many people must approve a change. Default: as before, or 1",
      }),
    ),
  },
  ["environment", "type"],
);

const ConfigResponse = Type.Array(
  Type.Object(
    {
      environment: Type.String(),
      type: Type.String(),
      changeRequestEnabled: Type.Boolean(),
      requiredApprovals: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
    },
    { title: "changeRequestEnvironmentConfigSchema" },
  ),
);

/** Routes that say in which environments of a project changes require approvals. */
export function registerChangeRequestConfig(app: TypedApp, storage: Storage): void {
  app.get(
    "/projects/:projectId/change-requests/config",
    operation({
      id: "getProjectChangeRequestConfig",
      role: "viewer",
      tag,
      summary: "Says in which environments of a project changes require approvals",
      returns: ConfigResponse,
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    ({ params }) => storage.read((db) => readConfig(db, params.projectId)),
  );

  app.put(
    "/projects/:projectId/environments/:environment/change-requests/config",
    operation({
      id: "updateProjectChangeRequestConfig",
      role: "owner",
      tag,
      summary: "Makes changes in an environment of a project require approvals, or not",
      description: "A project can require more approvals than its environment, but not fewer.",
      empty: 200,
      alsoFailsWith: [404],
      params: ProjectEnvironmentParams,
      body: ConfigBody,
    }),
    async (request, reply) => {
      const { projectId: project, environment } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        updateConfig(transaction, { project, environment }, request.body),
      );
      return reply.send();
    },
  );
}

async function readConfig(db: Database, project: string) {
  await getProject(db, project);
  const included = new Set(await listProjectEnvironments(db, project));
  const places = await readProtectedPlaces(db);
  const environments = await listEnvironments(db);
  return environments
    .filter(({ name }) => included.has(name))
    .map(({ name: environment, type }) => ({
      environment,
      type,
      ...toConfigView(approvalsIn(places, { project, environment })),
    }));
}

function toConfigView(approvals: number) {
  return { changeRequestEnabled: approvals > 0, requiredApprovals: approvals || null };
}

/**
 * Sets how many approvals changes in an environment of a project require.
 *
 * @throws {ApiError} if the environment is not part of the project, or requires more in all projects
 */
export async function updateConfig(
  { db, record }: WriteTransaction,
  place: Place,
  { changeRequestsEnabled, requiredApprovals }: Type.Static<typeof ConfigBody>,
): Promise<void> {
  const { project, environment } = place;
  await getProject(db, project);
  const { protection, requiredApprovals: minimum } = await getEnvironment(db, environment);
  if (!(await listProjectEnvironments(db, project)).includes(environment))
    throw notInProject(place);
  if (!changeRequestsEnabled && typeof requiredApprovals === "number") {
    throw badData("/body/requiredApprovals", "must be absent if changeRequestsEnabled is false");
  }
  const before = await readApprovalsIn(db, place);
  const approvals = changeRequestsEnabled ? (requiredApprovals ?? (before || 1)) : null;
  if (protection === "approvals" && (approvals ?? 0) < (minimum ?? 1)) {
    throw invalidOperation(
      `The environment ${JSON.stringify(environment)} requires at least ${minimum ?? 1} approvals in every project: ask an admin to change the environment`,
    );
  }
  await db
    .update(projectEnvironments)
    .set({ requiredApprovals: approvals })
    .where(
      and(
        eq(projectEnvironments.project, project),
        eq(projectEnvironments.environment, environment),
      ),
    );
  await record({
    type: "change-request-configuration-updated",
    project,
    environment,
    before: toConfigView(before),
    after: toConfigView(await readApprovalsIn(db, place)),
  });
}
