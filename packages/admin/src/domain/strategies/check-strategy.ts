import type { Database } from "../../storage/database.ts";
import { strategyTypes } from "../../storage/schema/strategies.ts";
import { checkConstraints } from "../constraints/check-constraints.ts";
import { CheckCache } from "../constraints/check-cache.ts";
import { readLegalValues, type LegalValuesOf } from "../context-fields/legal-values.ts";
import { getProject } from "../projects/store.ts";
import { checkStrategyName } from "../strategy-types.ts";
import { checkVariants } from "../variants/check-variants.ts";
import { checkParameters } from "./check-parameters.ts";
import type { Strategy } from "./find-strategies.ts";
import type { UpdateStrategy } from "./schemas.ts";
import { checkSegments, readSegments, type SegmentsById } from "./strategy-segments.ts";

/** The properties of a strategy in a request that need checks against the project. */
export type UncheckedStrategy = Pick<UpdateStrategy, "constraints" | "parameters" | "variants"> & {
  readonly name: string;
  readonly segments?: readonly number[];
  /** What is stored, see `checkConstraints()`. @default none */
  readonly previous?: Pick<Strategy, "constraints" | "parameters"> | undefined;
};

/** The definitions that the strategies of a project may refer to. */
export interface StrategyContext {
  readonly project: string;
  /** Names of the strategy types that are not built in. */
  readonly customTypes: ReadonlySet<string>;
  readonly segments: SegmentsById;
  readonly legalValuesOf: LegalValuesOf;
  readonly defaultStickiness: string;
  /** Shared by all strategies in the request. */
  readonly checks: CheckCache;
}

/** Reads the definitions that these strategies refer to, with a fixed number of statements. */
export async function readStrategyContext(
  db: Database,
  project: string,
  strategies: readonly UncheckedStrategy[],
): Promise<StrategyContext> {
  const fields = strategies.flatMap(({ constraints = [] }) =>
    constraints.map(({ contextName }) => contextName),
  );
  const types = await db.select({ name: strategyTypes.name }).from(strategyTypes);
  const { defaultStickiness } = await getProject(db, project);
  return {
    project,
    customTypes: new Set(types.map(({ name }) => name)),
    segments: await readSegments(
      db,
      strategies.flatMap(({ segments = [] }) => segments),
    ),
    legalValuesOf: await readLegalValues(db, fields, project),
    defaultStickiness,
    checks: new CheckCache(),
  };
}

/**
 * Converts a strategy to the form in which it is stored.
 *
 * @throws {ApiError} if the strategy is invalid
 */
export function checkStrategy(
  { name, segments = [], previous, ...body }: UncheckedStrategy,
  feature: string,
  context: StrategyContext,
) {
  const { constraints = [], variants = [], parameters = {} } = body;
  const { legalValuesOf, checks, defaultStickiness: stickiness } = context;
  checkStrategyName(name, context.customTypes);
  return {
    segments: checkSegments(segments, context),
    columns: {
      name,
      constraints: checkConstraints(constraints, {
        legalValuesOf,
        path: "/body/constraints",
        previous: previous?.constraints,
        checks,
      }),
      variants: checkVariants(variants, "/body/variants"),
      parameters: checkParameters(name, parameters, {
        feature,
        stickiness,
        previous: previous?.parameters,
      }),
    },
  };
}
