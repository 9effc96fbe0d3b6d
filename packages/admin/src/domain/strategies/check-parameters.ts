import { badData } from "../../errors.ts";

type Parameters = Readonly<Record<string, string>>;

interface ParameterDefaults {
  readonly feature: string;
  readonly stickiness: string;
}

/** Parameters that are a share of everybody, in percent. */
const PERCENTAGES: ReadonlyMap<string, string> = new Map([
  ["flexibleRollout", "rollout"],
  ["gradualRolloutRandom", "percentage"],
  ["gradualRolloutSessionId", "percentage"],
  ["gradualRolloutUserId", "percentage"],
]);

/**
 * Parameters as they are stored: all text, and complete for a flexible rollout.
 *
 * @throws {ApiError} when a share is none
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
  const percentage = text.trim() === "" ? Number.NaN : Number(text);
  if (percentage >= 0 && percentage <= 100) return;
  throw badData(`/body/parameters/${name}`, "must be a number from 0 to 100");
}
