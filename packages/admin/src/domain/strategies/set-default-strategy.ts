import { and, eq } from "drizzle-orm";
import { badData } from "../../errors.ts";
import type { StoredDefaultStrategy } from "../../storage/schema/json-values.ts";
import { projectEnvironments } from "../../storage/schema/projects.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { findDefaultStrategy, type ProjectEnvironment } from "../default-strategies.ts";
import { checkStrategy, readStrategyContext } from "./check-strategy.ts";
import type { CreateStrategy } from "./schemas.ts";
import { checkProjectEnvironment, getActiveProject } from "../projects/store.ts";

/**
 * Sets the strategy that flags without enabled strategies get when they are turned on. Existing strategies stay as they
 * are.
 *
 * @throws {ApiError} if the project is unknown, archived or without the environment, or the strategy is invalid
 */
export async function setDefaultStrategy(
  { db, record }: WriteTransaction,
  { project, environment }: ProjectEnvironment,
  body: CreateStrategy,
): Promise<StoredDefaultStrategy> {
  await getActiveProject(db, project);
  await checkProjectEnvironment(db, project, environment);
  // Without an enabled strategy, SDKs treat a flag as on for everyone.
  if (body.disabled === true)
    throw badData("/body/disabled", "must be false for a default strategy");
  const before = await findDefaultStrategy(db, { project, environment });
  const { columns, segments } = checkStrategy(
    { ...body, previous: before },
    NO_FEATURE,
    await readStrategyContext(db, project, [body]),
  );
  const { groupId = "", ...parameters } = columns.parameters;
  const after = {
    ...columns,
    title: body.title ?? null,
    parameters: { ...parameters, ...(groupId !== NO_FEATURE && { groupId }) },
    segments,
  };
  await db
    .update(projectEnvironments)
    .set({ defaultStrategy: after })
    .where(
      and(
        eq(projectEnvironments.project, project),
        eq(projectEnvironments.environment, environment),
      ),
    );
  await record({ type: "default-strategy-updated", project, environment, before, after });
  return after;
}

/** The name of the flag becomes the `groupId` once there is a flag. */
const NO_FEATURE = "";
