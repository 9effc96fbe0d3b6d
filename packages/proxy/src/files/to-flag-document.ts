import { isRecord } from "flags-server-kit";
import type { FlagDocument, ReadDocument } from "./flag-document.ts";
import type { ParsedText } from "./parse-text.ts";
import { fromAdminExport, fromUnleashExport, listEnvironments } from "./project-exports.ts";
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
  const { value, locate } = parsed;
  if (!isRecord(value)) throw new FileError([`${locate([])}: the file ${EXPECTED}`]);
  const { features } = value;
  if (!Array.isArray(features)) return { document: fromMap(value, parsed), warnings: [] };
  const environments = listEnvironments(value, features);
  if (environments !== undefined) {
    const chosen = chooseEnvironment(environments, environment);
    return "featureEnvironments" in value
      ? fromUnleashExport(value, features, chosen)
      : fromAdminExport(value, features, chosen);
  }
  checkEnvironment(value, environment);
  return { document: value as unknown as FlagDocument, warnings: [] };
}

function chooseEnvironment(
  environments: readonly string[],
  environment: string | undefined,
): string {
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
function checkEnvironment({ query }: Record<string, unknown>, wanted: string | undefined): void {
  const environment = isRecord(query) ? query["environment"] : undefined;
  if (wanted === undefined || typeof environment !== "string" || environment === wanted) return;
  throw new FileError([
    `it contains the flags of the environment ${environment}, not of ${wanted}: \`query.environment\` says so`,
  ]);
}

/** Converts `{ "my-flag": { "enabled": true, "variant": "blue" } }`. */
function fromMap(flags: Record<string, unknown>, { locate }: ParsedText): FlagDocument {
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
  if (typeof enabled !== "boolean") {
    return { path: ["enabled"], message: "a flag must have `enabled`, which is true or false" };
  }
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
