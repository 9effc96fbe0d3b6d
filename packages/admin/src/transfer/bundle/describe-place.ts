import { ApiError } from "../../errors.ts";

/** What the parts of a file are called, by the property that contains them. */
const PARTS: Readonly<Record<string, string>> = {
  features: "flag",
  environments: "environment",
  strategies: "strategy",
  constraints: "constraint",
  variants: "variant",
  tags: "tag",
  dependencies: "dependency",
  segments: "segment",
  contextFields: "context field",
  legalValues: "allowed value",
  tagTypes: "tag type",
  strategyTypes: "strategy type",
  values: "value",
  projects: "project",
};

/** What the entries of lists for all flags are called. */
const PARTS_OF_FLAGS: Readonly<Record<string, string>> = {
  featureStrategies: "strategy",
  featureEnvironments: "",
  featureTags: "tag",
};

/** Parts of bundles that say nothing to people. */
const UNNAMED = new Set(["definitions", "file"]);

/**
 * Describes a place in a file in words, for example `flag "checkout", environment "production",
 * strategy 2, operator`.
 *
 * @param path as in error responses, such as `/body/features/0/name`
 * @param file the content of the file, in which the names are looked up
 */
export function describePlace(path: string, file: unknown): string {
  const steps = path.split("/").slice(2).map(unescapeStep);
  const words: string[] = [];
  let current = file;
  for (const [index, step] of steps.entries()) {
    const parent = steps[index - 1];
    const list = current;
    current = childOf(list, step);
    if (/^\d+$/.test(step) && parent !== undefined) {
      words.pop();
      words.push(
        describePartOfFlag(parent, list, Number(step)) ??
          `${PARTS[parent] ?? parent} ${nameOf(parent, current) ?? Number(step) + 1}`,
      );
    } else if (!UNNAMED.has(step)) {
      words.push(step === "features" ? "flags" : step);
    }
  }
  return words.join(", ");
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** Describes an entry of a list for all flags, for example `flag "checkout", environment "production", strategy 2`. */
function describePartOfFlag(property: string, list: unknown, index: number): string | undefined {
  const part = PARTS_OF_FLAGS[property];
  if (part === undefined || !Array.isArray(list)) return undefined;
  const places = list
    .slice(0, index + 1)
    .map((entry) => [childOf(entry, "featureName"), childOf(entry, "environment")]);
  const [flag, environment] = places[index] ?? [];
  if (typeof flag !== "string") return undefined;
  const number = places.filter((place) => place[0] === flag && place[1] === environment).length;
  return [
    `flag ${JSON.stringify(flag)}`,
    ...(typeof environment === "string" ? [`environment ${JSON.stringify(environment)}`] : []),
    ...(part === "" ? [] : [`${part} ${number}`]),
  ].join(", ");
}

/** The name of a part, in quotation marks. */
function nameOf(part: string, value: unknown): string | undefined {
  // The name of a strategy is its type, and a constraint has none: they are counted.
  if (part === "strategies" || part === "constraints") return undefined;
  const name =
    childOf(value, part === "projects" ? "id" : "name") ?? childOf(value, "value") ?? value;
  return typeof name === "string" ? JSON.stringify(name) : undefined;
}

/** Reverses the escaping of JSON Pointer (RFC 6901). */
function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/**
 * Runs checks of a value, and makes their errors say in words where in the value the problem is.
 *
 * @param value in which the paths of errors lead, after `/body`
 */
export function describingPlaces<T>(value: unknown, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw inWords(error, value);
  }
}

/** The asynchronous variant of `describingPlaces()`. */
export async function describingPlacesAsync<T>(value: unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw inWords(error, value);
  }
}

/** Creates the error for a file that cannot be read. */
export function badFile(message: string): ApiError {
  return new ApiError("BadDataError", `The file ${message}`);
}

function inWords(error: unknown, value: unknown): unknown {
  if (!(error instanceof ApiError) || error.statusCode >= 500) return error;
  const [detail] = error.details;
  if (detail?.path === undefined || !/^\/body(?:\/|$)/.test(detail.path)) return error;
  const place = describePlace(detail.path, value);
  if (place === "") return badFile(detail.message);
  return new ApiError(error.name, `In ${place}: ${detail.message}`, { cause: error });
}
