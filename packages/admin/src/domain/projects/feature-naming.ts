import { badData } from "../../errors.ts";
import type { FeatureNaming } from "../../storage/schema/json-values.ts";
import { compilePattern, PATTERN_RULE } from "../compile-pattern.ts";
import type { FeatureNamingInput } from "./schemas.ts";

const PATH = "/body/featureNaming";

/**
 * Converts the rule for names in a request to the form in which it is stored. Null and an empty pattern remove it.
 *
 * @throws {ApiError} if the pattern is invalid or missing, or the example does not match it
 */
export function checkFeatureNaming(input: FeatureNamingInput | null): FeatureNaming | null {
  const { pattern, example, description } = input ?? {};
  if (!pattern) {
    const extra = example ? "example" : description ? "description" : undefined;
    if (extra === undefined) return null;
    throw badData(`${PATH}/pattern`, `must not be empty, because there is the ${extra} of one`);
  }
  const compiled = compilePattern(pattern);
  if (compiled === undefined) throw badData(`${PATH}/pattern`, PATTERN_RULE);
  if (example && !compiled.matches(example)) {
    throw badData(
      `${PATH}/example`,
      "must match the pattern, from the first to the last character",
    );
  }
  return { pattern, example: example || null, description: description || null };
}

/** Returns whether the rule of a project accepts a name. */
export type AcceptsName = (name: string) => boolean;

/** Compiles a rule. Null accepts every name. */
export function compileFeatureNaming(naming: FeatureNaming | null): AcceptsName {
  const compiled = naming === null ? undefined : compilePattern(naming.pattern);
  // NOTE: a pattern was valid when it was stored.
  return (name) => compiled === undefined || compiled.matches(name);
}

/**
 * @throws {ApiError} if the rule of a project does not accept the name of a new flag
 */
export function checkFeatureName(naming: FeatureNaming | null, name: string): void {
  if (naming !== null && !compileFeatureNaming(naming)(name)) throw notAccepted(naming);
}

/** Creates the error for a name that a rule does not accept. */
export function notAccepted({ pattern, example, description }: FeatureNaming): Error {
  const such = example === null ? "" : `, for example ${JSON.stringify(example)}`;
  const why = description === null ? "" : ` (${description})`;
  return badData(
    "/body/name",
    `must match ${JSON.stringify(pattern)}, the pattern for names in the project${such}${why}`,
  );
}
