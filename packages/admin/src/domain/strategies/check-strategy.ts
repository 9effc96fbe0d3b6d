import { findStrategyType } from "flags-engine";
import { badData } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { strategyTypes } from "../../storage/schema/strategies.ts";
import { CheckCache } from "../constraints/check-cache.ts";
import { checkConstraints } from "../constraints/check-constraints.ts";
import { readLegalValues, type LegalValuesOf } from "../context-fields/legal-values.ts";
import { getProject } from "../projects/store.ts";
import { isDecimal, breaksQuotes } from "../sdk-compatibility.ts";
import { checkStrategyName } from "../strategy-types/store.ts";
import { checkVariants } from "../variants/check-variants.ts";
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

type Parameters = Readonly<Record<string, string>>;

interface ParameterDefaults {
  readonly feature: string;
  readonly stickiness: string;
  /** The stored parameters. Their values were valid when they were stored, and stay acceptable. @default none */
  readonly previous?: Parameters | undefined;
}

/**
 * Converts parameters to text and adds the defaults of `flexibleRollout`.
 *
 * @throws {ApiError} if a percentage is not a whole number from 0 to 100, or some SDKs cannot read a value
 */
export function checkParameters(
  strategy: string,
  given: Readonly<Record<string, string | number | boolean>>,
  { feature, stickiness, previous = {} }: ParameterDefaults,
): Parameters {
  const parameters = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, String(value)]),
  );
  if (strategy === "flexibleRollout") {
    parameters["rollout"] ??= "100";
    parameters["stickiness"] ||= stickiness;
    parameters["groupId"] ||= feature;
  }
  const type = findStrategyType(strategy);
  if (type?.kind === "rollout") {
    checkPercentage(parameters, type.parameter, previous);
    checkTexts(parameters, previous);
  }
  if (type?.kind === "list" && type.entries !== "addressRanges") {
    checkList(parameters, type.parameter, previous);
  }
  return parameters;
}

/** Stores a percentage with digits only, because some SDKs read every other form as 0%. */
function checkPercentage(
  parameters: Record<string, string>,
  name: string,
  previous: Parameters,
): void {
  const text = parameters[name];
  if (text === undefined || text === previous[name]) return;
  const percentage = isDecimal(text) ? Number(text) : Number.NaN;
  if (!(Number.isInteger(percentage) && percentage >= 0 && percentage <= 100)) {
    throw badData(`/body/parameters/${name}`, "must be a whole number from 0 to 100");
  }
  parameters[name] = String(percentage);
}

function checkTexts(parameters: Parameters, previous: Parameters): void {
  for (const name of ["groupId", "stickiness"]) {
    const text = parameters[name] ?? "";
    if (breaksQuotes(text) && text !== previous[name]) throw unreadable(name, "");
  }
}

function checkList(parameters: Parameters, name: string, previous: Parameters): void {
  const stored = new Set(splitAndTrim(previous[name]));
  const bad = splitAndTrim(parameters[name]).find((one) => breaksQuotes(one) && !stored.has(one));
  if (bad !== undefined) throw unreadable(name, `: ${JSON.stringify(bad)}`);
}

function splitAndTrim(text = ""): readonly string[] {
  return text.split(",").map((entry) => entry.trim());
}

function unreadable(name: string, entry: string): Error {
  const expectation = `must not contain " or end with \\, which some SDKs cannot read${entry}`;
  return badData(`/body/parameters/${name}`, expectation);
}
