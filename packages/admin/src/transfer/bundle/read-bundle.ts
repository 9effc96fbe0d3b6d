import { isRecord } from "flags-server-kit/neutral";
import { badData } from "../../errors.ts";
import { findUnstorable } from "../../http/reject-unstorable.ts";
import { toValidationError } from "../../http/to-api-error.ts";
import { compileOnUse } from "../../http/validation.ts";
import { type ProjectFileContent, ProjectFile } from "../project-file/schemas.ts";
import { type Bundle, BundleBody, NO_DEFINITIONS, type ReadBundle } from "./bundle.ts";
import { badFile, describingPlaces } from "./describe-place.ts";
import { environmentsIn, environmentsOf } from "./map-bundle.ts";
import { parseFile } from "./parse-file.ts";
import { isStateFile, readStateFile } from "./read-state-file.ts";
import { describeEnvironments, toBundle } from "./unleash-lists.ts";

/**
 * Reads the content of a file of any kind: one that was exported here, an environment that an Unleash server has exported, or
 * its state. The form of the content says which it is, not its name.
 *
 * @throws {ApiError} 400 that names the place in the file and the problem
 */
export function readBundle(content: unknown): Bundle {
  if (!isRecord(content) || !Array.isArray(content["features"])) {
    throw badFile(
      "must contain flags: a project that was exported here, or an environment or the state of an Unleash server",
    );
  }
  return completeBundle(describingPlaces(content, () => read(content)));
}

function read(content: Readonly<Record<string, unknown>>): ReadBundle {
  if (isStateFile(content)) return readStateFile(content);
  if (content["featureStrategies"] === undefined) return readProjectFile(content);
  const environment = findEnvironment(content["featureEnvironments"]);
  return toBundle(content, {
    source: `export of the environment ${environment}`,
    environment,
  });
}

/** Files of some versions do not name the environment. */
function findEnvironment(states: unknown): string {
  const [first] = Array.isArray(states) ? (states as readonly unknown[]) : [];
  const name = isRecord(first) ? first["environment"] : undefined;
  return typeof name === "string" ? name : "default";
}

const findViolationsOfFile = compileOnUse(ProjectFile);

function readProjectFile(content: unknown): ReadBundle {
  const violations = findViolationsOfFile(content);
  if (violations !== undefined) throw toValidationError("/body", violations);
  const {
    project = "default",
    contextFields = [],
    segments = [],
    tagTypes = [],
    strategyTypes = [],
    ...flags
  } = content as ProjectFileContent;
  const own = <T extends { readonly isShared?: boolean }>({
    isShared = true,
    ...definition
  }: T) => ({
    ...definition,
    ...(!isShared && { project }),
  });
  return {
    source: "project file",
    environments: describeEnvironments(environmentsIn(flags.features)),
    projects: [{ id: project, file: flags }],
    definitions: {
      ...NO_DEFINITIONS,
      contextFields: contextFields.map(own),
      segments: segments.map(own),
      tagTypes,
      strategyTypes,
    },
    leftOut: [],
  };
}

/**
 * Says what a bundle contains, and checks it.
 *
 * @throws {ApiError} 400 that names the place and the problem
 */
export function completeBundle(bundle: ReadBundle): Bundle {
  return checkBundle({
    ...bundle,
    contents: {
      projects: bundle.projects.map(({ id }) => id),
      environments: environmentsOf(bundle),
    },
  });
}

const findViolations = compileOnUse(BundleBody);

/**
 * Checks that a bundle has the right form, wherever it comes from.
 *
 * @throws {ApiError} 400 that names the place and the problem
 */
export function checkBundle(bundle: unknown): Bundle {
  return describingPlaces(bundle, () => {
    const violations = findViolations(bundle);
    if (violations !== undefined) throw toValidationError("/body", violations);
    const unstorable = findUnstorable(bundle, "/body");
    if (unstorable !== undefined) throw badData(unstorable.path, unstorable.message);
    return bundle as Bundle;
  });
}

/**
 * Reads the text of a file, in JSON or YAML.
 *
 * @param maxYamlBytes of a text in YAML @default no limit
 * @throws {ApiError} 400 that names the place in the file and the problem
 */
export async function readBundleFromText(text: string, maxYamlBytes = Infinity): Promise<Bundle> {
  return readBundle(await parseFile(text, maxYamlBytes));
}
