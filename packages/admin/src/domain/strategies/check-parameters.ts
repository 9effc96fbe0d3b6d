import { badData } from "../../errors.ts";
import { isDecimal } from "../decimal.ts";

type Parameters = Readonly<Record<string, string>>;

interface ParameterDefaults {
  readonly feature: string;
  readonly stickiness: string;
}

/** Strategies with a parameter that is a percentage, and the name of the parameter. */
const PERCENTAGES: ReadonlyMap<string, string> = new Map([
  ["flexibleRollout", "rollout"],
  ["gradualRolloutRandom", "percentage"],
  ["gradualRolloutSessionId", "percentage"],
  ["gradualRolloutUserId", "percentage"],
]);

/**
 * Converts parameters to text and adds the defaults of `flexibleRollout`.
 *
 * @throws {ApiError} if a percentage is not a number from 0 to 100
 */
export function checkParameters(
  strategy: string,
  given: Readonly<Record<string, string | number | boolean>>,
  { feature, stickiness }: ParameterDefaults,
): Parameters {
  const parameters = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, String(value)]),
  );
  if (strategy === "flexibleRollout") {
    parameters["rollout"] ??= "100";
    parameters["stickiness"] ||= stickiness;
    parameters["groupId"] ||= feature;
  }
  checkPercentage(parameters, PERCENTAGES.get(strategy));
  return parameters;
}

function checkPercentage(parameters: Parameters, name: string | undefined): void {
  const text = name === undefined ? undefined : parameters[name];
  if (text === undefined) return;
  const percentage = isDecimal(text) ? Number(text) : Number.NaN;
  if (percentage >= 0 && percentage <= 100) return;
  throw badData(`/body/parameters/${name}`, "must be a number from 0 to 100");
}
