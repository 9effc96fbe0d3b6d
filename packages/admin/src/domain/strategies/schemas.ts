import { Type } from "typebox";
import { closedObject, MAX_INT32, nullableText, bodyObject } from "../../http/schemas.ts";
import { ConstraintBody } from "../constraints/check-constraints.ts";
import { FeatureEnvironmentParams, SegmentIds } from "../schemas.ts";
import { StrategyVariantsBody } from "../variants/schemas.ts";

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
  variants: Type.Optional(StrategyVariantsBody),
  parameters: Type.Optional(Parameters),
  segments: Type.Optional(SegmentIds),
};

export const MAX_SORT_ORDER = MAX_INT32;
const SortOrder = Type.Integer({ minimum: 0, maximum: MAX_SORT_ORDER });

export const CreateStrategyBody = bodyObject(
  "createFeatureStrategySchema",
  {
    name: Type.String(),
    sortOrder: Type.Optional(SortOrder),
    ...properties,
  },
  ["id", "warnings"],
);

export const UpdateStrategyBody = bodyObject(
  "updateFeatureStrategySchema",
  {
    name: Type.Optional(Type.String()),
    sortOrder: Type.Optional(SortOrder),
    ...properties,
  },
  ["id", "warnings"],
);

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

export const StrategySegmentsBody = bodyObject("updateFeatureStrategySegmentsSchema", {
  projectId: Type.String(),
  strategyId: Type.String(),
  environmentId: Type.String(),
  segmentIds: SegmentIds,
});

export type CreateStrategy = Type.Static<typeof CreateStrategyBody>;
export type UpdateStrategy = Type.Static<typeof UpdateStrategyBody>;
export type StrategyOrder = Type.Static<typeof StrategyOrderBody>;
export type StrategySegmentsInput = Type.Static<typeof StrategySegmentsBody>;

export const StrategyParams = Type.Object({
  ...FeatureEnvironmentParams.properties,
  strategyId: Type.String(),
});
