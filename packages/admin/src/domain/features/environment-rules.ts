import { isDeepStrictEqual } from "node:util";
import { and, eq } from "drizzle-orm";
import { exceedsLimit } from "../../errors.ts";
import { withErrorPath, withErrorPathAsync } from "../../http/error-path.ts";
import { LIMITS } from "../../limits.ts";
import type { Database } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";
import { featureEnvironments } from "../../storage/schema/features.ts";
import type { StoredFlagVariant } from "../../storage/schema/json-values.ts";
import { strategies as strategyTable } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { EditedResource } from "../conditional-change.ts";
import { checkEnvironmentSize } from "../environment-size.ts";
import {
  checkFeatureEnvironment,
  type FeatureEnvironmentAddress,
  getEnabled,
  isFeatureEnvironment,
} from "../feature-environment.ts";
import { getFeature } from "../feature.ts";
import { checkStrategy, readStrategyContext } from "../strategies/check-strategy.ts";
import {
  listStrategies,
  listStrategiesOf,
  type Strategy,
  type StrategyView,
  toStrategyView,
} from "../strategies/find-strategies.ts";
import type { CreateStrategy } from "../strategies/schemas.ts";
import { copyStrategy, turnOffWithoutStrategies } from "../strategies/write-strategies.ts";
import { replaceVariants } from "../variants/store.ts";
import type { EnvironmentRules } from "./schemas.ts";
import { switchFeatures } from "./switch-features.ts";

/** What a flag does in an environment. */
interface RulesView {
  readonly enabled: boolean;
  readonly strategies: readonly StrategyView[];
  readonly variants: readonly StoredFlagVariant[];
}

/** @throws {ApiError} if the flag is unknown or not part of the environment */
async function readRules(db: Database, address: FeatureEnvironmentAddress): Promise<RulesView> {
  await getFeature(db, address);
  const enabled = await getEnabled(db, address);
  const strategies = await listStrategies(db, address);
  const [row] = await db
    .select({ variants: featureEnvironments.variants })
    .from(featureEnvironments)
    .where(isFeatureEnvironment(address));
  return { enabled, strategies: strategies.map(toStrategyView), variants: row?.variants ?? [] };
}

/** Describes what a flag does in an environment for `writeIfMatch()`. */
export function editedRules(address: FeatureEnvironmentAddress): EditedResource<RulesView> {
  const { feature, environment } = address;
  return {
    label: "What the flag does in the environment",
    readView: (db) => readRules(db, address),
    changes: {
      types: [
        "feature-strategy-add",
        "feature-strategy-update",
        "feature-strategy-remove",
        "strategy-order-changed",
        "feature-environment-variants-updated",
        "feature-environment-enabled",
        "feature-environment-disabled",
      ],
      where: and(eq(events.featureName, feature), eq(events.environment, environment)),
    },
  };
}

/**
 * Replaces what a flag does in an environment: its strategies and variants and, if the body says so, whether it is on.
 *
 * @throws {ApiError} if the flag is unknown, archived or not part of the environment, has too many strategies, or a strategy
 *   or variant is invalid
 */
export async function replaceRules(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  { strategies, variants = [], enabled }: EnvironmentRules,
): Promise<RulesView> {
  const { db } = transaction;
  await checkFeatureEnvironment(db, address);
  await replaceStrategies(transaction, address, strategies);
  const before = await readRules(db, address);
  if (!isDeepStrictEqual(before.variants, variants)) {
    await withErrorPathAsync("/body/variants", () =>
      replaceVariants(transaction, address, variants),
    );
  }
  if (enabled === undefined) {
    await turnOffWithoutStrategies(transaction, address);
  } else {
    const { feature, ...at } = address;
    const how = { enabled, activatesDisabledStrategies: false };
    await switchFeatures(transaction, at, [feature], how);
  }
  return readRules(db, address);
}

async function replaceStrategies(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  bodies: readonly CreateStrategy[],
): Promise<void> {
  const { db, record } = transaction;
  if (bodies.length > LIMITS.strategiesPerEnvironment) {
    throw exceedsLimit("strategies of a flag in an environment", LIMITS.strategiesPerEnvironment);
  }
  const wanted = await checkStrategies(db, address, bodies);
  const before = await listStrategies(db, address);
  const isSame = isDeepStrictEqual(wanted, before.map(withoutPlace));
  if (isSame) return;
  for (const strategy of before) {
    await db.delete(strategyTable).where(eq(strategyTable.id, strategy.id));
    await record({
      type: "feature-strategy-remove",
      ...address,
      before: toStrategyView(strategy),
    });
  }
  for (const [sortOrder, strategy] of wanted.entries()) {
    await copyStrategy(transaction, address, { ...strategy, id: "", sortOrder });
  }
  await checkEnvironmentSize(db, address.environment);
}

type Rule = Omit<StrategyView, "id" | "sortOrder">;

function withoutPlace(strategy: Strategy): Rule {
  const { id: _id, sortOrder: _sortOrder, ...rule } = toStrategyView(strategy);
  return rule;
}

/** Copies of what the flag has in any environment are accepted as they are. */
async function checkStrategies(
  db: Database,
  { project, feature }: FeatureEnvironmentAddress,
  bodies: readonly CreateStrategy[],
): Promise<readonly Rule[]> {
  const context = await readStrategyContext(db, project, bodies);
  const stored = await listStrategiesOf(db, [feature]);
  return bodies.map((body, index) => {
    const previous = stored.find((one) =>
      isDeepStrictEqual(
        [one.name, one.parameters, one.constraints],
        [body.name, body.parameters, body.constraints],
      ),
    );
    const { columns, segments } = withErrorPath(`/body/strategies/${index}`, () =>
      checkStrategy({ ...body, previous }, feature, context),
    );
    return { ...columns, segments, title: body.title ?? null, disabled: body.disabled ?? false };
  });
}
