import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { closedObject, nullableText, openObject } from "../../http/schemas.ts";
import { ConstraintBody } from "../constraints/schemas.ts";
import { FeatureEnvironmentParams, MAX_INT32, SegmentIds } from "../schemas.ts";

const PayloadType = Type.Unsafe<string>({
  type: "string",
  enum: ["string", "number", "json", "csv"],
});

const VariantBody = openObject("strategyVariantSchema", {
  name: Name,
  weight: Type.Integer({ minimum: 0, maximum: 1000, description: "In thousandths" }),
  weightType: Type.Unsafe<"fix" | "variable">({ type: "string", enum: ["variable", "fix"] }),
  stickiness: Type.String({ minLength: 1, maxLength: 100 }),
  payload: Type.Optional(
    closedObject("variantPayloadSchema", {
      type: PayloadType,
      value: Type.String({ maxLength: 100_000 }),
    }),
  ),
});

const Parameters = Type.Record(
  Type.String({ maxLength: 100 }),
  Type.Unsafe<string | number | boolean>({
    type: ["string", "number", "boolean"],
    maxLength: 100_000,
  }),
  { maxProperties: 100, description: "Values are stored as text" },
);

const properties = {
  title: Type.Optional(nullableText(500)),
  disabled: Type.Optional(Type.Unsafe<boolean | null>({ type: ["boolean", "null"] })),
  constraints: Type.Optional(Type.Array(ConstraintBody)),
  variants: Type.Optional(Type.Array(VariantBody, { maxItems: 100 })),
  parameters: Type.Optional(Parameters),
  segments: Type.Optional(SegmentIds),
};

export const MAX_SORT_ORDER = MAX_INT32;
const SortOrder = Type.Integer({ minimum: 0, maximum: MAX_SORT_ORDER });

export const CreateStrategyBody = openObject("createFeatureStrategySchema", {
  name: Type.String(),
  sortOrder: Type.Optional(SortOrder),
  ...properties,
});

export const UpdateStrategyBody = openObject("updateFeatureStrategySchema", {
  name: Type.Optional(Type.String()),
  sortOrder: Type.Optional(SortOrder),
  ...properties,
});

/** The result of a patch. */
export const PatchedStrategy = closedObject("featureStrategySchema", {
  id: Type.String(),
  name: Type.String(),
  sortOrder: Type.Optional(SortOrder),
  ...properties,
});

export const StrategyOrderBody = Type.Array(
  closedObject("strategySortOrderSchema", { id: Type.String(), sortOrder: SortOrder }),
  { maxItems: 1000 },
);

export const StrategySegmentsBody = openObject("updateFeatureStrategySegmentsSchema", {
  projectId: Type.String(),
  strategyId: Type.String(),
  environmentId: Type.String(),
  segmentIds: SegmentIds,
});

export type VariantInput = Type.Static<typeof VariantBody>;
export type CreateStrategy = Type.Static<typeof CreateStrategyBody>;
export type UpdateStrategy = Type.Static<typeof UpdateStrategyBody>;
export type StrategyOrder = Type.Static<typeof StrategyOrderBody>;
export type StrategySegmentsInput = Type.Static<typeof StrategySegmentsBody>;

export const StrategyParams = Type.Object({
  ...FeatureEnvironmentParams.properties,
  strategyId: Type.String(),
});
