import { Type } from "typebox";
import { closedObject, nullableText, openObject } from "../../http/schemas.ts";
import { ConstraintBody } from "../strategies/schemas.ts";

const SegmentName = Type.String({ minLength: 1, maxLength: 100, pattern: String.raw`\S` });

export const SegmentBody = openObject("upsertSegmentSchema", {
  name: SegmentName,
  description: Type.Optional(nullableText(10_000)),
  project: Type.Optional(nullableText(100)),
  constraints: Type.Array(ConstraintBody),
});

export const SegmentNameBody = closedObject("validateSegmentNameSchema", { name: SegmentName });

export const StrategySegmentsBody = openObject("updateFeatureStrategySegmentsSchema", {
  projectId: Type.String(),
  strategyId: Type.String(),
  environmentId: Type.String(),
  segmentIds: Type.Array(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
});

export type SegmentInput = Type.Static<typeof SegmentBody>;
export type StrategySegmentsInput = Type.Static<typeof StrategySegmentsBody>;

export const SegmentParams = Type.Object({
  segmentId: Type.String({ pattern: String.raw`^\d{1,9}$`, description: "A whole number" }),
});
export const StrategyParams = Type.Object({ strategyId: Type.String() });
