import { randomUUID } from "node:crypto";
import { badData, exceedsLimit } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { isEqualJson } from "../storage/database.ts";
import { checkStrategy } from "../domain/strategies/check-strategy.ts";
import type { StrategyWithSegments } from "../domain/strategies/find-strategies.ts";
import { MAX_SORT_ORDER } from "../domain/strategies/next-sort-order.ts";
import { toStrategyView } from "../domain/strategies/strategy-view.ts";
import { checkAtPath } from "./at-path.ts";
import { type ImportTarget, placeOf } from "./import-target.ts";
import type { Planning } from "./plan-feature.ts";
import type { EnvironmentInFile, StrategyInFile } from "./schemas.ts";

interface StrategiesInFile {
  readonly feature: string;
  readonly environment: EnvironmentInFile;
  /** Where the environment is in the file. */
  readonly path: string;
}

/** Plans to give a feature these strategies, in this order, and no others. */
export function planStrategies(
  planning: Planning,
  { feature, environment, path }: StrategiesInFile,
): void {
  const { target, now, changes } = planning;
  const { name, strategies } = environment;
  const existing = target.strategies.get(placeOf(feature, name)) ?? [];
  checkCount(strategies.length, existing.length, path);
  for (const [index, strategy] of strategies.entries()) {
    const before = existing[index];
    const after: StrategyWithSegments = {
      id: before?.id ?? randomUUID(),
      feature,
      environment: name,
      createdAt: now,
      sortOrder: before?.sortOrder ?? nextSortOrder(existing, index),
      ...checkInFile(target, strategy, { before, feature, path: `${path}/strategies/${index}` }),
    };
    planStrategy(planning, before, after);
  }
  for (const strategy of existing.slice(strategies.length)) {
    changes.removedStrategies.push(strategy.id);
    const event = { type: "feature-strategy-remove", before: toStrategyView(strategy) } as const;
    changes.events.push({ project: target.project, feature, environment: name, ...event });
  }
}

function planStrategy(
  { target: { project }, changes }: Planning,
  before: StrategyWithSegments | undefined,
  after: StrategyWithSegments,
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

/** More than the limit may stay, and may not grow. */
function checkCount(count: number, before: number, path: string): void {
  const limit = Math.max(LIMITS.strategiesPerEnvironment, before);
  if (count <= limit) return;
  checkAtPath(`${path}/strategies/${limit}`, () => {
    throw exceedsLimit("strategies of a feature in an environment", limit);
  });
}

function nextSortOrder(existing: readonly StrategyWithSegments[], index: number): number {
  const last = Math.max(-1, ...existing.map(({ sortOrder }) => sortOrder));
  return Math.min(last + 1 + index - existing.length, MAX_SORT_ORDER);
}

interface Place {
  readonly before: StrategyWithSegments | undefined;
  readonly feature: string;
  readonly path: string;
}

function checkInFile(
  target: ImportTarget,
  { segments: names = [], title = null, disabled, ...strategy }: StrategyInFile,
  { before, feature, path }: Place,
) {
  const ids = names.map((name, index) => {
    const id = target.segments.get(name)?.id;
    if (id !== undefined) return id;
    throw badData(
      `${path}/segments/${index}`,
      `names a segment that does not exist: ${JSON.stringify(name)}`,
    );
  });
  const previousCount = before?.constraints.length ?? 0;
  const body = { ...strategy, segments: ids, previousCount };
  const { columns, segments } = checkAtPath(path, () =>
    checkStrategy(body, feature, target.strategyContext),
  );
  return { ...columns, segments, title, disabled: disabled ?? false };
}
