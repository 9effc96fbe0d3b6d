import { randomUUID } from "node:crypto";
import { getProject } from "../projects/find-projects.ts";
import { firstRow } from "../../storage/database.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { FeatureEnvironmentKey } from "./find-strategies.ts";
import { nextSortOrder } from "./next-sort-order.ts";
import { toStrategyView } from "./strategy-view.ts";

/** Gives a flag a strategy that is on for everybody. */
export async function addDefaultStrategy(
  { db, record }: WriteTransaction,
  { feature, environment, project }: FeatureEnvironmentKey & { readonly project: string },
): Promise<void> {
  const { defaultStickiness: stickiness } = await getProject(db, project);
  const added = firstRow(
    await db
      .insert(strategies)
      .values({
        id: randomUUID(),
        feature,
        environment,
        name: "flexibleRollout",
        sortOrder: await nextSortOrder(db, { feature, environment }),
        parameters: { rollout: "100", stickiness, groupId: feature },
      })
      .returning(),
  );
  await record({
    type: "feature-strategy-add",
    project,
    feature,
    environment,
    after: toStrategyView({ ...added, segments: [] }),
  });
}
