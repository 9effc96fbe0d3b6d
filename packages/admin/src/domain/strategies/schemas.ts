import { Type } from "typebox";
import { Name } from "../../http/names.ts";
import { closedObject, nullableText, openObject } from "../../http/schemas.ts";
import { LIST_OPERATORS, VALUE_OPERATORS, type Operator } from "./operators.ts";
import { MAX_SORT_ORDER } from "./next-sort-order.ts";

export const ConstraintBody = closedObject("constraintSchema", {
  contextName: Type.String({ minLength: 1, maxLength: 100 }),
  operator: Type.Unsafe<Operator>({
    type: "string",
    enum: [...LIST_OPERATORS, ...VALUE_OPERATORS],
  }),
  values: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }))),
  value: Type.Optional(Type.String({ maxLength: 1000 })),
  inverted: Type.Optional(Type.Boolean()),
  caseInsensitive: Type.Optional(Type.Boolean()),
});

const PayloadType = Type.Unsafe<string>({
  type: "string",
  enum: ["string", "number", "json", "csv"],
});

export const VariantBody = openObject("strategyVariantSchema", {
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
  { maxProperties: 100, description: "Values are kept as text" },
);

const SegmentIds = Type.Array(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }));

const properties = {
  title: Type.Optional(nullableText(500)),
  disabled: Type.Optional(Type.Unsafe<boolean | null>({ type: ["boolean", "null"] })),
  constraints: Type.Optional(Type.Array(ConstraintBody)),
  variants: Type.Optional(Type.Array(VariantBody, { maxItems: 100 })),
  parameters: Type.Optional(Parameters),
  segments: Type.Optional(SegmentIds),
};

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

/** What a strategy must be after a patch. */
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

export type ConstraintInput = Type.Static<typeof ConstraintBody>;
export type VariantInput = Type.Static<typeof VariantBody>;
export type CreateStrategy = Type.Static<typeof CreateStrategyBody>;
export type UpdateStrategy = Type.Static<typeof UpdateStrategyBody>;
export type StrategyOrder = Type.Static<typeof StrategyOrderBody>;

export const StrategyParams = Type.Object({
  projectId: Type.String(),
  feature: Type.String(),
  environment: Type.String(),
  strategyId: Type.String(),
});
