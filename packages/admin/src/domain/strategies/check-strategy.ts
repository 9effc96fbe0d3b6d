import { readLegalValues } from "../context-fields/read-legal-values.ts";
import { getProject } from "../projects/find-projects.ts";
import type { Segment } from "../segments/find-segments.ts";
import type { Database } from "../../storage/database.ts";
import { strategyTypes } from "../../storage/schema/strategies.ts";
import { checkConstraints, type LegalValuesOf } from "./check-constraints.ts";
import { checkParameters } from "./check-parameters.ts";
import { checkVariants } from "./check-variants.ts";
import type { UpdateStrategy } from "./schemas.ts";
import { checkSegments, findSegments } from "./strategy-segments.ts";
import { checkStrategyName } from "./strategy-types.ts";

/** What a body says of a strategy, as far as there are rules for it. */
export type CheckableStrategy = Pick<UpdateStrategy, "constraints" | "parameters" | "variants"> & {
  readonly name: string;
  readonly segments?: readonly number[];
  /** How many constraints there were before: more than the limit may stay, and may not grow. */
  readonly previousCount?: number;
};

/** What strategies of a project refer to. */
export interface StrategyContext {
  readonly project: string;
  /** Names of the strategies that are not built in. */
  readonly ownTypes: ReadonlySet<string>;
  readonly segments: ReadonlyMap<number, Segment>;
  readonly legalValuesOf: LegalValuesOf;
  readonly defaultStickiness: string;
}

/** Reads at once all that these strategies refer to. */
export async function readStrategyContext(
  db: Database,
  project: string,
  bodies: readonly CheckableStrategy[],
): Promise<StrategyContext> {
  const fields = bodies.flatMap(({ constraints = [] }) =>
    constraints.map(({ contextName }) => contextName),
  );
  const types = await db.select({ name: strategyTypes.name }).from(strategyTypes);
  const { defaultStickiness } = await getProject(db, project);
  return {
    project,
    ownTypes: new Set(types.map(({ name }) => name)),
    segments: await findSegments(
      db,
      bodies.flatMap(({ segments = [] }) => segments),
    ),
    legalValuesOf: await readLegalValues(db, fields),
    defaultStickiness,
  };
}

/**
 * What a body says, as it is stored.
 *
 * @throws {ApiError} when it goes against a rule
 */
export function checkStrategy(
  { name, segments = [], previousCount = 0, ...body }: CheckableStrategy,
  feature: string,
  context: StrategyContext,
) {
  const { constraints = [], variants = [], parameters = {} } = body;
  const { legalValuesOf, defaultStickiness: stickiness } = context;
  checkStrategyName(name, context.ownTypes);
  return {
    segments: checkSegments(segments, context),
    columns: {
      name,
      constraints: checkConstraints(constraints, {
        legalValuesOf,
        path: "/body/constraints",
        previousCount,
      }),
      variants: checkVariants(variants, "/body/variants"),
      parameters: checkParameters(name, parameters, { feature, stickiness }),
    },
  };
}
