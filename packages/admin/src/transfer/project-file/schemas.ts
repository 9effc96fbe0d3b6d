import { type Static, Type } from "typebox";
import { ConstraintBody } from "../../domain/constraints/check-constraints.ts";
import { UpdateContextFieldBody } from "../../domain/context-fields/schemas.ts";
import { DependencyBody } from "../../domain/dependencies/schemas.ts";
import { CreateFeatureBody } from "../../domain/features/schemas.ts";
import { SegmentBody } from "../../domain/segments/schemas.ts";
import { CreateStrategyBody } from "../../domain/strategies/schemas.ts";
import { CreateStrategyTypeBody } from "../../domain/strategy-types/schemas.ts";
import { CreateTagTypeBody } from "../../domain/tag-types.ts";
import { TagBody } from "../../domain/tags/schemas.ts";
import { FlagVariantsBody } from "../../domain/variants/schemas.ts";
import { Name } from "../../http/names.ts";
import { closedObject, nullableText } from "../../http/schemas.ts";
import { LIMITS } from "../../limits.ts";

const { type, description, impressionData } = CreateFeatureBody.properties;
const { title, disabled, parameters, variants } = CreateStrategyBody.properties;

const StrategyInFile = closedObject("exportedStrategySchema", {
  name: Type.String(),
  title,
  disabled,
  parameters,
  constraints: Type.Optional(Type.Array(ConstraintBody)),
  variants,
  segments: Type.Optional(Type.Array(Type.String(), { description: "Names of segments" })),
});

const { disabled: _disabled, ...defaultStrategyProperties } = StrategyInFile.properties;

const DefaultStrategyInFile = closedObject("exportedDefaultStrategySchema", {
  environment: Type.String(),
  ...defaultStrategyProperties,
});

const EnvironmentInFile = closedObject("exportedEnvironmentSchema", {
  name: Type.String(),
  enabled: Type.Boolean(),
  strategies: Type.Array(StrategyInFile, { maxItems: 100 }),
  variants: Type.Optional(FlagVariantsBody),
});

const StaleSnoozeInFile = closedObject("exportedStaleSnoozeSchema", {
  until: Type.Optional(
    Type.String({ maxLength: 40, description: "A time in ISO 8601 with its offset" }),
  ),
  permanent: Type.Optional(Type.Boolean({ description: "true: for good, instead of `until`" })),
});

const FeatureInFile = closedObject("exportedFeatureSchema", {
  name: Name,
  type,
  description,
  stale: Type.Optional(Type.Boolean()),
  staleSnooze: Type.Optional(
    Type.Union([StaleSnoozeInFile, Type.Null()], {
      description: "Until when it does not become potentially stale; null: it is not snoozed",
    }),
  ),
  impressionData,
  tags: Type.Optional(Type.Array(TagBody, { maxItems: 100 })),
  dependencies: Type.Optional(
    Type.Array(DependencyBody, {
      maxItems: 1,
      description: "The parent. An empty list removes it",
    }),
  ),
  environments: Type.Optional(Type.Array(EnvironmentInFile, { maxItems: 100 })),
});

const SegmentInFile = closedObject("exportedSegmentSchema", {
  name: SegmentBody.properties.name,
  description: Type.Optional(nullableText(10_000)),
  isShared: Type.Optional(
    Type.Boolean({
      description: "Whether all projects may use it (default), or only the target project",
    }),
  ),
  constraints: Type.Array(ConstraintBody),
});

const { project: _project, ...contextFieldProperties } = UpdateContextFieldBody.properties;

const ContextFieldInFile = closedObject("exportedContextFieldSchema", {
  name: Name,
  ...contextFieldProperties,
  isShared: Type.Optional(
    Type.Boolean({
      description: "Whether all projects may use it (default), or only the target project",
    }),
  ),
});

/** The flags of a project with the definitions that they refer to. References are names, not ids. */
export const ProjectFile = closedObject("exportedProjectSchema", {
  version: Type.Unsafe<1>({ type: "integer", enum: [1] }),
  project: Type.Optional(Type.String({ description: "The exported project" })),
  contextFields: Type.Optional(Type.Array(ContextFieldInFile, { maxItems: 1000 })),
  segments: Type.Optional(Type.Array(SegmentInFile, { maxItems: 1000 })),
  tagTypes: Type.Optional(Type.Array(CreateTagTypeBody, { maxItems: 1000 })),
  strategyTypes: Type.Optional(Type.Array(CreateStrategyTypeBody, { maxItems: 1000 })),
  defaultStrategies: Type.Optional(
    Type.Array(DefaultStrategyInFile, {
      maxItems: LIMITS.environments,
      description: "What flags get when they are turned on without strategies",
    }),
  ),
  features: Type.Array(FeatureInFile, { maxItems: LIMITS.features }),
});

export const ImportQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Unsafe<"false" | "true">({
      type: "string",
      enum: ["true", "false"],
      description: "Whether to report the changes without making them",
    }),
  ),
});

const Names = Type.Array(Type.String());

export const ImportResponse = closedObject("importResultSchema", {
  created: Names,
  updated: Names,
  unchanged: Names,
});

export type ProjectFileContent = Static<typeof ProjectFile>;
export type FeatureInFile = Static<typeof FeatureInFile>;
export type DefaultStrategyInFile = Static<typeof DefaultStrategyInFile>;
export type EnvironmentInFile = Static<typeof EnvironmentInFile>;
export type StrategyInFile = Static<typeof StrategyInFile>;
export type SegmentInFile = Static<typeof SegmentInFile>;
export type ImportReport = Static<typeof ImportResponse>;
