import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import {
  OptionalChoice,
  OptionalDay,
  OptionalSearchText,
  OptionalText,
} from "../../http/parse-filter.ts";
import { nullableText, bodyObject } from "../../http/schemas.ts";
import { FEATURE_TYPES } from "../feature-types.ts";
import { CreateStrategyBody } from "../strategies/schemas.ts";
import { TagBody } from "../tags/schemas.ts";
import { FlagVariantsBody } from "../variants/schemas.ts";

/** What only responses contain. */
const READ_ONLY = [
  "createdAt",
  "createdBy",
  "archivedAt",
  "lastSeenAt",
  "favorite",
  "environments",
  "dependencies",
  "children",
  "projectLinks",
  "links",
  "lifecycle",
  "potentiallyStale",
  "staleReason",
  "staleSnooze",
] as const;

const TypeName = Type.Unsafe<string>({ type: "string", enum: FEATURE_TYPES.map(({ id }) => id) });
const Description = nullableText(10_000);
/** Clients that were written for older servers send an empty list or null. */
const NoVariants = Type.Optional(
  Type.Unsafe<readonly unknown[] | null>({
    type: ["array", "null"],
    items: {},
    maxItems: 0,
    description: "Variants belong to strategies and environments",
  }),
);

export const CreateFeatureBody = bodyObject(
  "createFeatureSchema",
  {
    name: Name,
    type: Type.Optional(TypeName),
    description: Type.Optional(Description),
    impressionData: Type.Optional(Type.Boolean()),
    tags: Type.Optional(Type.Array(TagBody, { maxItems: 100 })),
    variants: NoVariants,
  },
  ["project", "stale", "archived", ...READ_ONLY],
);

export const CloneFeatureBody = bodyObject("cloneFeatureSchema", {
  name: Name,
  replaceGroupId: Type.Optional(
    Type.Boolean({
      description:
        "Whether a strategy's groupId that is the name of the flag becomes the new name (default)",
    }),
  ),
});

export const UpdateFeatureBody = bodyObject(
  "updateFeatureSchema",
  {
    name: Type.Optional(Type.String()),
    project: Type.Optional(Type.String()),
    type: Type.Optional(TypeName),
    description: Type.Optional(Description),
    stale: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean()),
    impressionData: Type.Optional(Type.Boolean()),
    variants: NoVariants,
  },
  ["tags", ...READ_ONLY],
);

export const ChangeProjectBody = bodyObject("changeProjectSchema", {
  newProjectId: Type.String({ minLength: 1, maxLength: 100, description: "Id of a project" }),
});

export const StaleBody = bodyObject("batchStaleSchema", {
  features: Type.Array(Type.String(), { maxItems: 10_000 }),
  stale: Type.Boolean(),
});

export const ValidateFeatureBody = bodyObject("validateFeatureSchema", {
  name: Name,
  projectId: Type.Optional(nullableText(100)),
});

export const FeatureQuery = Type.Object({
  archived: Type.Optional(
    Type.Unsafe<"false" | "true">({
      type: "string",
      enum: ["true", "false"],
      description: "Whether to show an archived flag too. Default: false",
    }),
  ),
});

const FavoritesFirst = Type.Optional(
  Type.Unsafe<"false" | "true">({
    type: "string",
    enum: ["true", "false"],
    description: "Whether the favorites of the current user come first. Default: false",
  }),
);

export const FeatureListQuery = Type.Object({
  namePrefix: Type.Optional(Type.String()),
  tag: Type.Optional(
    Type.Unsafe<string | string[]>({ type: ["string", "array"], items: { type: "string" } }),
  ),
  favoritesFirst: FavoritesFirst,
});

export const FeatureSearchQuery = Type.Object({
  query: OptionalSearchText,
  project: OptionalChoice,
  type: OptionalChoice,
  createdBy: Type.Optional(
    Type.String({ description: "IS:, IS_NOT:, IS_ANY_OF: or IS_NONE_OF: names of users" }),
  ),
  state: Type.Optional(Type.String({ description: "IS:active, IS:stale or IS:potentially-stale" })),
  status: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ["string", "array"],
      items: { type: "string" },
      description: "environment:enabled or environment:disabled",
    }),
  ),
  tag: Type.Optional(
    Type.String({
      description:
        "INCLUDE, DO_NOT_INCLUDE, INCLUDE_ALL_OF, INCLUDE_ANY_OF, EXCLUDE_IF_ANY_OF or EXCLUDE_ALL, then `:` and tags of the form type:value",
    }),
  ),
  segment: Type.Optional(
    Type.String({ description: "The same operators as for `tag`, with names of segments" }),
  ),
  createdAt: OptionalDay,
  lastSeenAt: OptionalDay,
  archived: Type.Optional(Type.String({ description: "IS:true or IS:false" })),
  lifecycle: Type.Optional(
    Type.String({
      description:
        "IS:, IS_NOT:, IS_ANY_OF: or IS_NONE_OF: initial, pre-live, live, completed, archived",
    }),
  ),
  favoritesFirst: FavoritesFirst,
  favorite: Type.Optional(
    Type.String({
      description: "IS:true or IS:false: whether they are favorites of the current user",
    }),
  ),
  sortBy: Type.Optional(
    Type.String({
      description:
        "archivedAt, createdAt, lastSeenAt, name, project, stale, type, or environment:name",
    }),
  ),
  sortOrder: Type.Optional(Type.Unsafe<"asc" | "desc">({ type: "string", enum: ["asc", "desc"] })),
  offset: OptionalText,
  limit: OptionalText,
});

export type CreateFeature = Type.Static<typeof CreateFeatureBody>;
export type CloneFeature = Type.Static<typeof CloneFeatureBody>;
export type UpdateFeature = Type.Static<typeof UpdateFeatureBody>;
export type FeatureSearch = Type.Static<typeof FeatureSearchQuery>;

/** What a flag does in an environment. */
export const EnvironmentRulesBody = bodyObject("featureEnvironmentRulesSchema", {
  strategies: Type.Array(CreateStrategyBody, {
    description: "All strategies of the flag in the environment, in their order",
  }),
  variants: Type.Optional(FlagVariantsBody),
  enabled: Type.Optional(
    Type.Boolean({
      description: "Turns the flag on or off. Without it, a flag with strategies stays as it is",
    }),
  ),
});

export type EnvironmentRules = Type.Static<typeof EnvironmentRulesBody>;
