import { OPERATORS, type OperatorName } from "flags-engine";
import { Type } from "typebox";
import { closedObject } from "../../http/schemas.ts";

export const ConstraintBody = closedObject("constraintSchema", {
  contextName: Type.String({ minLength: 1, maxLength: 100 }),
  operator: Type.Unsafe<OperatorName>({ type: "string", enum: Object.keys(OPERATORS) }),
  values: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }))),
  value: Type.Optional(Type.String({ maxLength: 1000 })),
  inverted: Type.Optional(Type.Boolean()),
  caseInsensitive: Type.Optional(Type.Boolean()),
});

export type ConstraintInput = Type.Static<typeof ConstraintBody>;
