import { Type } from "typebox";
import { closedObject, nullableText, openObject } from "../../http/schemas.ts";
import { Name } from "../../http/names.ts";
import { MAX_INT32 } from "../schemas.ts";

const MAX_DESCRIPTION_LENGTH = 250;
const MAX_VALUE_LENGTH = 100;

/** Null means no description, in requests as in responses. */
const Description = nullableText(MAX_DESCRIPTION_LENGTH);
const Value = Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH });

export const LegalValueBody = closedObject("legalValueSchema", {
  value: Value,
  description: Type.Optional(Description),
});

const properties = {
  description: Type.Optional(Description),
  stickiness: Type.Optional(
    Type.Boolean({ description: "Whether the field can be used for stickiness" }),
  ),
  sortOrder: Type.Optional(Type.Integer({ minimum: -MAX_INT32, maximum: MAX_INT32 })),
  legalValues: Type.Optional(
    Type.Array(LegalValueBody, {
      description: "Values that constraints may use. An empty list allows all values",
    }),
  ),
};

export const UpdateContextFieldBody = openObject("updateContextFieldSchema", properties);
export const CreateContextFieldBody = openObject("createContextFieldSchema", {
  name: Name,
  ...properties,
});

const LegalValueResponse = closedObject("storedLegalValueSchema", {
  value: Value,
  description: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION_LENGTH })),
});

export type UpdateContextField = Type.Static<typeof UpdateContextFieldBody>;
export type CreateContextField = Type.Static<typeof CreateContextFieldBody>;
export type LegalValueInput = Type.Static<typeof LegalValueBody>;

export const ContextFieldParams = Type.Object({ contextField: Type.String() });
export const LegalValueParams = Type.Object({
  contextField: Type.String(),
  legalValue: Type.String(),
});

export const ContextFieldResponse = Type.Object(
  {
    name: Type.String(),
    description: Description,
    stickiness: Type.Boolean(),
    sortOrder: Type.Integer(),
    legalValues: Type.Array(LegalValueResponse),
    createdAt: Type.String({ format: "date-time" }),
  },
  { title: "contextFieldSchema" },
);
