import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { closedObject, nullableText, openObject } from "../../http/schemas.ts";
import { FEATURE_TYPES } from "./feature-types.ts";

const TypeName = Type.Unsafe<string>({ type: "string", enum: FEATURE_TYPES.map(({ id }) => id) });
const Description = nullableText(10_000);

export const TagInput = closedObject("tagSchema", {
  type: Type.String({ minLength: 2, maxLength: 50 }),
  value: Type.String({ minLength: 2, maxLength: 50 }),
  color: Type.Optional(nullableText(20)),
});

export const CreateFeatureBody = openObject("createFeatureSchema", {
  name: Name,
  type: Type.Optional(TypeName),
  description: Type.Optional(Description),
  impressionData: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Type.Array(TagInput, { maxItems: 100 })),
});

export const UpdateFeatureBody = openObject("updateFeatureSchema", {
  name: Type.Optional(Type.String()),
  project: Type.Optional(Type.String()),
  type: Type.Optional(TypeName),
  description: Type.Optional(Description),
  stale: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  impressionData: Type.Optional(Type.Boolean()),
});

export const StaleBody = openObject("batchStaleSchema", {
  features: Type.Array(Type.String(), { maxItems: 10_000 }),
  stale: Type.Boolean(),
});

/** The names that a batch is about. */
export const BatchFeaturesBody = openObject("batchFeaturesSchema", {
  features: Type.Array(Type.String(), { maxItems: 10_000, description: "Names of features" }),
});

export const ValidateFeatureBody = openObject("validateFeatureSchema", {
  name: Name,
  projectId: Type.Optional(nullableText(100)),
});

export type CreateFeature = Type.Static<typeof CreateFeatureBody>;
export type UpdateFeature = Type.Static<typeof UpdateFeatureBody>;

export const ProjectParams = Type.Object({ projectId: Type.String() });
export const FeatureParams = Type.Object({ projectId: Type.String(), feature: Type.String() });
export const FeatureNameParams = Type.Object({ feature: Type.String() });
export const FeatureEnvironmentParams = Type.Object({
  projectId: Type.String(),
  feature: Type.String(),
  environment: Type.String(),
});
