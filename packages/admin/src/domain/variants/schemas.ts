import { type Static, Type } from "typebox";
import { Name } from "../../http/names.ts";
import { closedObject, bodyObject } from "../../http/schemas.ts";
import type { StoredFlagVariant } from "../../storage/schema/json-values.ts";

const PayloadType = Type.Unsafe<string>({
  type: "string",
  enum: ["string", "number", "json", "csv"],
});

const Weight = Type.Integer({ minimum: 0, maximum: 1000, description: "In thousandths" });
const WeightType = Type.Unsafe<"fix" | "variable">({ type: "string", enum: ["variable", "fix"] });
const Stickiness = Type.String({ minLength: 1, maxLength: 100 });
const Payload = closedObject("variantPayloadSchema", {
  type: PayloadType,
  value: Type.String({ maxLength: 100_000 }),
});

/** A variant of a strategy. */
const StrategyVariantBody = bodyObject("strategyVariantSchema", {
  name: Name,
  weight: Weight,
  weightType: WeightType,
  stickiness: Stickiness,
  payload: Type.Optional(Payload),
});

const OverrideBody = closedObject("overrideSchema", {
  contextName: Type.String({ minLength: 1, maxLength: 100 }),
  values: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 1000 }),
});

/** A variant of a flag in an environment. */
const FlagVariantBody = bodyObject("variantSchema", {
  name: Name,
  weight: Weight,
  weightType: Type.Optional(WeightType),
  stickiness: Type.Optional(Stickiness),
  payload: Type.Optional(Payload),
  overrides: Type.Optional(
    Type.Array(OverrideBody, {
      maxItems: 100,
      description: "Contexts that get the variant regardless of its weight",
    }),
  ),
});

export const MAX_VARIANTS = 100;

export const StrategyVariantsBody = Type.Array(StrategyVariantBody, { maxItems: MAX_VARIANTS });
export const FlagVariantsBody = Type.Array(FlagVariantBody, { maxItems: MAX_VARIANTS });

export const VariantsBatchBody = bodyObject("pushVariantsSchema", {
  environments: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 100,
    description: "The environments whose variants are replaced",
  }),
  variants: FlagVariantsBody,
});

export const FlagVariantsResponse = Type.Object(
  { version: Type.Integer(), variants: Type.Array(FlagVariantBody) },
  { title: "featureVariantsSchema" },
);

export type VariantInput = Readonly<Static<typeof StrategyVariantBody>>;
export type FlagVariantInput = Readonly<Omit<Static<typeof FlagVariantBody>, "overrides">> &
  Pick<StoredFlagVariant, "overrides">;
export type VariantsBatch = Static<typeof VariantsBatchBody>;
