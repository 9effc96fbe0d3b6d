import { type Static, Type } from "typebox";
import { CreateEnvironmentBody } from "../../domain/environments/schemas.ts";
import { CreateProjectBody } from "../../domain/projects/schemas.ts";
import { closedObject } from "../../http/schemas.ts";
import { LIMITS } from "../../limits.ts";
import { ProjectFile } from "../project-file/schemas.ts";

const { contextFields, segments, strategyTypes, tagTypes, ...flags } = ProjectFile.properties;
const { name, type, sortOrder, enabled } = CreateEnvironmentBody.properties;
const { description, defaultStickiness } = CreateProjectBody.properties;

/** What an import did, or would do, to one thing. */
export const EFFECTS = ["created", "updated", "unchanged", "conflict", "left out"] as const;
export type Effect = (typeof EFFECTS)[number];

const ImportItem = closedObject("importItemSchema", {
  kind: Type.String({
    maxLength: 100,
    description:
      "environment, project, context field, segment, tag type, strategy type, flag, or what cannot be imported",
  }),
  name: Type.String({ description: "Empty if it is about everything of this kind" }),
  project: Type.Optional(Type.String()),
  effect: Type.Unsafe<Effect>({
    type: "string",
    enum: EFFECTS,
    description:
      "`conflict`: something here prevents the import of this item, such as a change since the last import. `left out`: it cannot be imported, or was not selected",
  }),
  reason: Type.Optional(
    Type.String({ description: "Why there is a conflict, or why it is left out" }),
  ),
  replaceable: Type.Optional(
    Type.Boolean({ description: "Whether `overwrite` resolves the conflict" }),
  ),
});

const Names = Type.Array(Type.String());

/** What can be selected and renamed. */
const Contents = closedObject("importContentsSchema", {
  projects: Names,
  environments: Names,
});

/** What an import did, or would do. */
export const ImportReportBody = closedObject("importReportSchema", {
  source: Type.String({ description: "What was imported, such as `state file, version 4`" }),
  contents: Contents,
  items: Type.Array(ImportItem),
  requiresApprovals: Type.Optional(
    closedObject("importApprovalsSchema", {
      project: Type.String(),
      environment: Type.String(),
      approvals: Type.Integer({
        description:
          "In a dry run: how many approvals the import requires there. The import of one project is sent to review; that of several fails with 403",
      }),
    }),
  ),
});

const EnvironmentInBundle = closedObject("importedEnvironmentSchema", {
  name,
  type,
  sortOrder,
  enabled,
});

const ProjectInBundle = closedObject("importedProjectSchema", {
  id: Type.String({ minLength: 1, maxLength: 100 }),
  /** The others are used if the project does not exist here. */
  name: Type.Optional(CreateProjectBody.properties.name),
  description,
  defaultStickiness,
  environments: Type.Optional(Type.Array(name, { maxItems: LIMITS.environments })),
  file: closedObject("importedFlagsSchema", flags),
});

const DefinitionOwner = {
  project: Type.Optional(
    Type.String({ description: "The only project that may use it. By default, all may" }),
  ),
};
const { isShared: _ofField, ...fieldProperties } = contextFields.items.properties;
const { isShared: _ofSegment, ...segmentProperties } = segments.items.properties;

/** What flags refer to by name, and several projects can share. */
const Definitions = closedObject("importedDefinitionsSchema", {
  contextFields: Type.Array(
    closedObject("importedContextFieldSchema", { ...fieldProperties, ...DefinitionOwner }),
    { maxItems: 1000 },
  ),
  segments: Type.Array(
    closedObject("importedSegmentSchema", { ...segmentProperties, ...DefinitionOwner }),
    { maxItems: 1000 },
  ),
  tagTypes: Type.Array(tagTypes.items, { maxItems: 1000 }),
  strategyTypes: Type.Array(strategyTypes.items, { maxItems: 1000 }),
});

/** Everything that a file or a server contains, in one form for all of them. Ids of segments have become names. */
export const BundleBody = closedObject("importBundleSchema", {
  source: Type.String(),
  /** Names in the source, before projects and environments were selected and renamed. */
  contents: Contents,
  environments: Type.Array(EnvironmentInBundle, { maxItems: LIMITS.environments }),
  projects: Type.Array(ProjectInBundle, { maxItems: LIMITS.projects }),
  definitions: Definitions,
  leftOut: Type.Array(ImportItem),
});

export type ImportItem = Static<typeof ImportItem>;
export type ImportReport = Static<typeof ImportReportBody>;
export type Bundle = Static<typeof BundleBody>;
export type EnvironmentInBundle = Static<typeof EnvironmentInBundle>;
export type ProjectInBundle = Static<typeof ProjectInBundle>;
export type Definitions = Static<typeof Definitions>;

/** A bundle before it is known what it contains. */
export type ReadBundle = Omit<Bundle, "contents">;

export const NO_DEFINITIONS: Definitions = {
  contextFields: [],
  segments: [],
  tagTypes: [],
  strategyTypes: [],
};

/** Why something stays as it is here. */
export interface Conflict {
  readonly reason: string;
  /** Whether the import replaces it on request. */
  readonly replaceable?: true;
}

/** An item that an import leaves out. */
export function leaveOut(kind: string, name: string, reason: string, project?: string): ImportItem {
  return { kind, name, effect: "left out", reason, ...(project !== undefined && { project }) };
}
