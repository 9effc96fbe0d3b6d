import { isRecord } from "flags-server-kit/neutral";
import { checkBooleans } from "./check-booleans.ts";
import type { ParsedText } from "./parse-text.ts";
import {
  type Entry,
  type FlagDocument,
  fromExport,
  listEnvironments,
  type ReadDocument,
} from "./project-exports.ts";
import { FileError } from "./read-file.ts";

const VERSION = 2;

const MAX_PROBLEMS = 20;

const EXPECTED =
  'must contain `features`, as server SDKs read them or as an export, or flags such as `{ "my-flag": { "enabled": true } }`';

/**
 * Recognizes the form of a file: definitions as server SDKs read them, an export of a project, or a map of
 * flags as in the offline mode of Unleash Edge.
 *
 * @param environment the environment that the file is served as; undefined if it is not named
 * @throws {FileError} if the file has none of these forms, or not this environment
 */
export function toFlagDocument(parsed: ParsedText, environment: string | undefined): ReadDocument {
  const { value: file, locate } = parsed;
  if (!isRecord(file)) throw new FileError([`${locate([])}: the file ${EXPECTED}`]);
  const isMap = !Array.isArray(file["features"]);
  checkBooleans(file, isMap, locate);
  const { document, warnings } = isMap
    ? { document: fromMap(file, locate), warnings: [] }
    : fromList(file, environment);
  return { document: { ...document, features: document.features.map(withoutDisabled) }, warnings };
}

function fromList(file: Entry, environment: string | undefined): ReadDocument {
  const environments = listEnvironments(file);
  return environments === undefined
    ? fromDefinitions(file, environment)
    : fromExport(file, chooseEnvironment(environments, environment));
}

/**
 * Removes disabled strategies, which upstreams do not send.
 *
 * NOTE: SDKs treat an enabled flag without strategies as on for everybody. If all of its strategies are disabled, it
 * is on for nobody.
 */
function withoutDisabled(flag: unknown): unknown {
  if (!isRecord(flag) || !Array.isArray(flag["strategies"])) return flag;
  const all: readonly unknown[] = flag["strategies"];
  const strategies = all.filter((one) => !(isRecord(one) && one["disabled"] === true));
  if (strategies.length === all.length) return flag;
  return { ...flag, strategies, ...(strategies.length === 0 && { enabled: false }) };
}

function chooseEnvironment(
  environments: readonly string[],
  environment: string | undefined,
): string {
  const [only] = environments;
  if (environment === undefined && only !== undefined && environments.length === 1) return only;
  const contained = environments.length === 0 ? "none" : environments.join(", ");
  if (environment === undefined) {
    throw new FileError([
      `it is an export: name one of its environments with FLAGS_URL=file:PATH?environment=NAME (it contains: ${contained})`,
    ]);
  }
  if (environments.includes(environment)) return environment;
  throw new FileError([
    `it is an export without the environment ${environment} (it contains: ${contained})`,
  ]);
}

/** NOTE: a file must not be served as another environment by mistake. Upstreams write theirs into `query`. */
function fromDefinitions(file: Entry, wanted: string | undefined): ReadDocument {
  const { query } = file;
  const environment = isRecord(query) ? query["environment"] : undefined;
  if (wanted === undefined || typeof environment !== "string" || environment === wanted) {
    return { document: file as unknown as FlagDocument, warnings: [] };
  }
  throw new FileError([
    `it contains the flags of the environment ${environment}, not of ${wanted}: \`query.environment\` says so`,
  ]);
}

/** Converts `{ "my-flag": { "enabled": true, "variant": "blue" } }`. */
function fromMap(flags: Entry, locate: ParsedText["locate"]): FlagDocument {
  const entries = Object.entries(flags);
  if (!entries.some(([, flag]) => isRecord(flag) && "enabled" in flag)) {
    throw new FileError([`${locate([])}: the file ${EXPECTED}`]);
  }
  const problems = entries.flatMap(([name, flag]) => {
    const problem = findProblem(flag);
    return problem === undefined ? [] : [`${locate([name, ...problem.path])}: ${problem.message}`];
  });
  if (problems.length > 0) throw new FileError(problems.slice(0, MAX_PROBLEMS));
  return { version: VERSION, features: entries.map(([name, flag]) => toFeature(name, flag)) };
}

function findProblem(flag: unknown): { path: string[]; message: string } | undefined {
  if (!isRecord(flag)) return { path: [], message: "a flag must be an object with `enabled`" };
  const { enabled, variant } = flag;
  if (typeof enabled !== "boolean") return { path: [], message: "a flag must have `enabled`" };
  if (variant === undefined || variant === null || typeof variant === "string") return undefined;
  return { path: ["variant"], message: "`variant` must be the name of a variant" };
}

function toFeature(name: string, flag: unknown): object {
  const { enabled, variant } = flag as { enabled: boolean; variant?: string | null };
  const variants =
    typeof variant === "string"
      ? [{ name: variant, weight: 1000, weightType: "fix", stickiness: "default" }]
      : [];
  return {
    name,
    enabled,
    project: "default",
    strategies: [{ name: "default", parameters: {}, constraints: [] }],
    variants,
  };
}
