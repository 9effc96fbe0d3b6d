import { Type } from "typebox";
import { closedObject, nullableText, openObject } from "../http/schemas.ts";
import { Name } from "../http/names.ts";

const MAX_DESCRIPTION_LENGTH = 250;
const MAX_VALUE_LENGTH = 100;
// PostgreSQL keeps positions in 32 bits.
const MAX_SORT_ORDER = 2 ** 31 - 1;

const Description = Type.String({ maxLength: MAX_DESCRIPTION_LENGTH });

export const LegalValueBody = closedObject({
  value: Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH }),
  description: Type.Optional(Description),
});

const properties = {
  description: Type.Optional(Description),
  stickiness: Type.Optional(
    Type.Boolean({ description: "Whether rollouts and variants may stick to this field" }),
  ),
  sortOrder: Type.Optional(Type.Integer({ minimum: -MAX_SORT_ORDER, maximum: MAX_SORT_ORDER })),
  legalValues: Type.Optional(
    Type.Array(LegalValueBody, { description: "The only values of the field; none: any value" }),
  ),
};

export const UpdateContextFieldBody = openObject(properties);
export const CreateContextFieldBody = openObject({ name: Name, ...properties });

export type UpdateContextField = Type.Static<typeof UpdateContextFieldBody>;
export type CreateContextField = Type.Static<typeof CreateContextFieldBody>;
export type LegalValueInput = Type.Static<typeof LegalValueBody>;

export const ContextFieldParams = Type.Object({ contextField: Type.String() });
export const LegalValueParams = Type.Object({
  contextField: Type.String(),
  legalValue: Type.String(),
});

export const ContextFieldAnswer = Type.Object({
  name: Type.String(),
  description: nullableText(MAX_DESCRIPTION_LENGTH),
  stickiness: Type.Boolean(),
  sortOrder: Type.Integer(),
  legalValues: Type.Array(LegalValueBody),
  createdAt: Type.String({ format: "date-time" }),
});
