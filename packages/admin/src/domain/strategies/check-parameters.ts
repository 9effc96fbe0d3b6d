import { findStrategyType } from "flags-engine";
import { badData } from "../../errors.ts";
import { isDecimal, breaksQuotes } from "../sdk-compatibility.ts";

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
  if (type?.kind === "list" && type.entries === "strings") {
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
  const stored = new Set(splitList(previous[name]));
  const bad = splitList(parameters[name]).find((one) => breaksQuotes(one) && !stored.has(one));
  if (bad !== undefined) throw unreadable(name, `: ${JSON.stringify(bad)}`);
}

function splitList(text = ""): readonly string[] {
  return text.split(",").map((entry) => entry.trim());
}

function unreadable(name: string, entry: string): Error {
  const expectation = `must not contain " or end with \\, which some SDKs cannot read${entry}`;
  return badData(`/body/parameters/${name}`, expectation);
}
