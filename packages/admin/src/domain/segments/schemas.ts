import { Type } from "typebox";
import { closedObject, nullableText, bodyObject } from "../../http/schemas.ts";
import { ConstraintBody } from "../constraints/check-constraints.ts";

/** What only responses contain. */
const READ_ONLY = ["id", "createdAt", "createdBy", "usedInFeatures", "usedInProjects"] as const;

const SegmentName = Type.String({ minLength: 1, maxLength: 100, pattern: String.raw`\S` });

export const SegmentBody = bodyObject(
  "upsertSegmentSchema",
  {
    name: SegmentName,
    description: Type.Optional(nullableText(10_000)),
    project: Type.Optional(nullableText(100)),
    constraints: Type.Array(ConstraintBody),
  },
  READ_ONLY,
);

export const SegmentNameBody = closedObject("validateSegmentNameSchema", { name: SegmentName });

export type SegmentInput = Type.Static<typeof SegmentBody>;

export const SegmentParams = Type.Object({
  segmentId: Type.String({ pattern: String.raw`^\d{1,9}$`, description: "A whole number" }),
});
export const StrategyParams = Type.Object({ strategyId: Type.String() });
