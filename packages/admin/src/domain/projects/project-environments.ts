import { and, eq, inArray } from "drizzle-orm";
import { mustExist, nameExists } from "../../errors.ts";
import { batchesOf } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import { projectEnvironments } from "../../storage/schema/projects.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { findEnvironment } from "../environments/store.ts";
import { getActiveProject, listProjectEnvironments } from "./store.ts";

/** Adds an environment to a project. Its flags are off there. */
export async function addEnvironment(
  { db, record }: WriteTransaction,
  project: string,
  environment: string,
): Promise<void> {
  await getActiveProject(db, project);
  if ((await findEnvironment(db, environment)) === undefined) {
    throw mustExist("/body/environment", "environment", environment);
  }
  const before = await listProjectEnvironments(db, project);
  if (before.includes(environment)) {
    throw nameExists(`The project already has the environment ${JSON.stringify(environment)}`);
  }
  await db.insert(projectEnvironments).values({ project, environment });
  const rows = await db
    .select({ feature: features.name })
    .from(features)
    .where(eq(features.project, project));
  for (const batch of batchesOf(rows)) {
    await db
      .insert(featureEnvironments)
      .values(batch.map(({ feature }) => ({ feature, environment })))
      .onConflictDoNothing();
  }
  const after = await listProjectEnvironments(db, project);
  await record({ type: "project-environment-added", project, environment, before, after });
}

/** Removes an environment from a project, including the strategies of its flags there. */
export async function removeEnvironment(
  { db, record }: WriteTransaction,
  project: string,
  environment: string,
): Promise<void> {
  await getActiveProject(db, project);
  const before = await listProjectEnvironments(db, project);
  if (!before.includes(environment)) return;
  await db
    .delete(projectEnvironments)
    .where(
      and(
        eq(projectEnvironments.project, project),
        eq(projectEnvironments.environment, environment),
      ),
    );
  const ofProject = db
    .select({ name: features.name })
    .from(features)
    .where(eq(features.project, project));
  await db
    .delete(featureEnvironments)
    .where(
      and(
        eq(featureEnvironments.environment, environment),
        inArray(featureEnvironments.feature, ofProject),
      ),
    );
  const after = before.filter((name) => name !== environment);
  await record({ type: "project-environment-removed", project, environment, before, after });
}
