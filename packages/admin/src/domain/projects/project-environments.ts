import { and, eq, inArray } from "drizzle-orm";
import { findEnvironment } from "../environments/find-environments.ts";
import { badData, nameExists } from "../../errors.ts";
import { batchesOf } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import { projectEnvironments } from "../../storage/schema/projects.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { getActiveProject, listEnvironmentsOf } from "./find-projects.ts";

/** Has the flags of a project live in one more environment, where they are off to begin with. */
export async function addEnvironment(
  { db, record }: WriteTransaction,
  project: string,
  environment: string,
): Promise<void> {
  await getActiveProject(db, project);
  if ((await findEnvironment(db, environment)) === undefined) {
    throw badData("/body/environment", "is not an environment");
  }
  const before = await listEnvironmentsOf(db, project);
  if (before.includes(environment)) {
    throw nameExists(`The project has the environment ${JSON.stringify(environment)} already`);
  }
  await db.insert(projectEnvironments).values({ project, environment });
  const names = await db
    .select({ feature: features.name })
    .from(features)
    .where(eq(features.project, project));
  for (const batch of batchesOf(names)) {
    await db
      .insert(featureEnvironments)
      .values(batch.map(({ feature }) => ({ feature, environment })))
      .onConflictDoNothing();
  }
  const after = await listEnvironmentsOf(db, project);
  await record({ type: "project-environment-added", project, environment, before, after });
}

/** Takes an environment from a project, together with what its flags had there. */
export async function removeEnvironment(
  { db, record }: WriteTransaction,
  project: string,
  environment: string,
): Promise<void> {
  await getActiveProject(db, project);
  const before = await listEnvironmentsOf(db, project);
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
