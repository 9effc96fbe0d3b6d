import { getActiveFeature } from "../features/find-features.ts";
import { notFound } from "../../errors.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { findStrategy } from "../strategies/find-strategies.ts";
import { checkSegments, findSegments, replaceSegments } from "../strategies/strategy-segments.ts";
import { toStrategyView } from "../strategies/strategy-view.ts";
import type { StrategySegmentsInput } from "./schemas.ts";

/** Gives a strategy these segments and no others. */
export async function assignSegments(
  { db, record }: WriteTransaction,
  { projectId, strategyId, environmentId, segmentIds }: StrategySegmentsInput,
): Promise<void> {
  const before = await findStrategy(db, strategyId);
  if (before?.environment !== environmentId) {
    throw notFound(`There is no strategy ${JSON.stringify(strategyId)} in that environment`);
  }
  const { feature, environment } = before;
  await getActiveFeature(db, { project: projectId, feature });
  const known = await findSegments(db, segmentIds);
  const segments = checkSegments(segmentIds, { project: projectId, segments: known });
  await replaceSegments(db, strategyId, segments);
  await record({
    type: "feature-strategy-update",
    project: projectId,
    feature,
    environment,
    before: toStrategyView(before),
    after: toStrategyView({ ...before, segments }),
  });
}
