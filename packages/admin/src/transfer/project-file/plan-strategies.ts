import { randomUUID } from "node:crypto";
import { checkStrategy } from "../../domain/strategies/check-strategy.ts";
import { type Strategy, toStrategyView } from "../../domain/strategies/find-strategies.ts";
import { MAX_SORT_ORDER } from "../../domain/strategies/schemas.ts";
import { badData, exceedsLimit } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { isEqualJson } from "../../storage/database.ts";
import type { ImportPlan } from "./import-plan.ts";
import { withErrorPath } from "../../http/error-path.ts";
import { environmentKey, type ImportTarget } from "./import-target.ts";
import type { EnvironmentInFile, StrategyInFile } from "./schemas.ts";

interface StrategiesInFile {
  readonly feature: string;
  readonly environment: EnvironmentInFile;
  /** Path of the environment in the request. */
  readonly path: string;
}

/** Plans the changes that make the strategies of a flag match the file, in the same order. */
export function planStrategies(
  plan: ImportPlan,
  { feature, environment, path }: StrategiesInFile,
): void {
  const { target, now, changes } = plan;
  const { name, strategies } = environment;
  const existing = target.strategies.get(environmentKey(feature, name)) ?? [];
  checkCount(strategies.length, existing.length, path);
  const sortOrders = planSortOrders(existing, strategies.length);
  for (const [index, strategy] of strategies.entries()) {
    const before = existing[index];
    const after: Strategy = {
      id: before?.id ?? randomUUID(),
      feature,
      environment: name,
      createdAt: now,
      sortOrder: sortOrders[index] ?? index,
      ...checkInFile(target, strategy, { before, feature, path: `${path}/strategies/${index}` }),
    };
    planStrategy(plan, before, after);
  }
  for (const strategy of existing.slice(strategies.length)) {
    changes.removedStrategyIds.push(strategy.id);
    const event = { type: "feature-strategy-remove", before: toStrategyView(strategy) } as const;
    changes.events.push({ project: target.project, feature, environment: name, ...event });
  }
}

function planStrategy(
  { target: { project }, changes }: ImportPlan,
  before: Strategy | undefined,
  after: Strategy,
): void {
  const views = {
    ...(before !== undefined && { before: toStrategyView(before) }),
    after: toStrategyView(after),
  };
  if (isEqualJson(views.before, views.after)) return;
  const { feature, environment } = after;
  const type = before === undefined ? "feature-strategy-add" : "feature-strategy-update";
  changes.strategies.push(after);
  changes.events.push({ type, project, feature, environment, ...views });
}

/** A list that exceeds the limit must not grow. */
function checkCount(count: number, previousCount: number, path: string): void {
  const limit = Math.max(LIMITS.strategiesPerEnvironment, previousCount);
  if (count <= limit) return;
  withErrorPath(`${path}/strategies/${limit}`, () => {
    throw exceedsLimit("strategies of a flag in an environment", limit);
  });
}

/**
 * Existing strategies keep their sort orders, and new ones get higher ones. If some are equal or too high, all get
 * new ones.
 */
function planSortOrders(existing: readonly Strategy[], count: number): readonly number[] {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const next = (existing.at(-1)?.sortOrder ?? -1) + 1;
  const sortOrders = indexes.map(
    (index) => existing[index]?.sortOrder ?? next + index - existing.length,
  );
  const areDistinct = new Set(sortOrders).size === count;
  return areDistinct && (sortOrders.at(-1) ?? 0) <= MAX_SORT_ORDER ? sortOrders : indexes;
}

interface Position {
  readonly before: Strategy | undefined;
  readonly feature: string;
  readonly path: string;
}

function checkInFile(
  target: ImportTarget,
  { segments: names = [], title = null, disabled, ...strategy }: StrategyInFile,
  { before, feature, path }: Position,
) {
  const ids = names.map((name, index) => {
    const id = target.segments.get(name)?.id;
    if (id !== undefined) return id;
    throw badData(
      `${path}/segments/${index}`,
      `refers to an unknown segment: ${JSON.stringify(name)}`,
    );
  });
  const body = { ...strategy, segments: ids, previous: before };
  const { columns, segments } = withErrorPath(path, () =>
    checkStrategy(body, feature, target.strategyContext),
  );
  return { ...columns, segments, title, disabled: disabled ?? false };
}
