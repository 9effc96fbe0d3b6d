import { type Static, Type } from "typebox";
import { bodyObject } from "../../http/schemas.ts";
import { LIMITS } from "../../limits.ts";
import type { Bundle } from "./bundle.ts";
import { mapBundle } from "./map-bundle.ts";
import { MAX_YAML_BYTES } from "./parse-file.ts";
import { readBundle, readBundleFromText } from "./read-bundle.ts";

const Id = Type.String({ minLength: 1, maxLength: 100 });

export const ImportBody = bodyObject("importFileSchema", {
  file: Type.Unknown({
    description:
      "The content of the file as JSON, or its text in JSON or YAML. YAML can have up to 1 MiB",
  }),
  project: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The project into which everything is imported. Default: those in the file",
    }),
  ),
  onlyProjects: Type.Optional(
    Type.Array(Id, {
      maxItems: LIMITS.projects,
      description: "Ids in the file of the projects to import. Default: all",
    }),
  ),
  projects: Type.Optional(
    Type.Record(Id, Id, { description: "Ids of projects here, by ids in the file" }),
  ),
  environments: Type.Optional(
    Type.Record(Id, Type.Union([Id, Type.Null()]), {
      description: "Names of environments here, by names in the file; null to leave one out",
    }),
  ),
  overwrite: Type.Optional(
    Type.Boolean({
      description: "Whether to replace flags and definitions that were changed here",
    }),
  ),
});

/**
 * Reads the file in a request, and applies the mapping.
 *
 * @throws {ApiError} 400
 */
export async function readRequestedBundle(body: Static<typeof ImportBody>): Promise<Bundle> {
  const { file, project, projects, onlyProjects, environments } = body;
  const bundle =
    typeof file === "string" ? await readBundleFromText(file, MAX_YAML_BYTES) : readBundle(file);
  return mapBundle(bundle, {
    onlyProjects,
    projects:
      project === undefined
        ? projects
        : Object.fromEntries(bundle.projects.map(({ id }) => [id, project])),
    environments,
  });
}
