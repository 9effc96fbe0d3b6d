import { Type } from "typebox";
import { closedObject, MAX_INT32, nullableText, bodyObject } from "../../http/schemas.ts";
import { Name } from "../../http/names.ts";

/** What only responses contain. */
const READ_ONLY = ["createdAt", "usedInFeatures", "usedInProjects"] as const;

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

/** The only project that may use the field; null for all projects. */
const project = Type.Optional(nullableText(100));

export const UpdateContextFieldBody = bodyObject(
  "updateContextFieldSchema",
  {
    ...properties,
    project,
  },
  ["name", ...READ_ONLY],
);
export const CreateContextFieldBody = bodyObject(
  "createContextFieldSchema",
  {
    name: Name,
    ...properties,
    project,
  },
  READ_ONLY,
);

const LegalValueResponse = closedObject("storedLegalValueSchema", {
  value: Value,
  description: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION_LENGTH })),
});

export type UpdateContextField = Type.Static<typeof UpdateContextFieldBody>;
export type CreateContextField = Type.Static<typeof CreateContextFieldBody>;
export type LegalValueInput = Type.Static<typeof LegalValueBody>;

export const ContextFieldsQuery = Type.Object({
  include: Type.Optional(
    Type.String({
      description:
        "`project` adds project fields to the global list, `root` adds global fields to the list of a project",
    }),
  ),
});

export const ContextFieldResponse = Type.Object(
  {
    name: Type.String(),
    description: Description,
    stickiness: Type.Boolean(),
    sortOrder: Type.Integer(),
    legalValues: Type.Array(LegalValueResponse),
    createdAt: Type.String({ format: "date-time" }),
    project: Type.Optional(
      Type.String({
        description: "The only project that may use the field; absent for all projects",
      }),
    ),
  },
  { title: "contextFieldSchema" },
);
