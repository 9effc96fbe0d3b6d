import { type TProperties, type TSchema, Type } from "typebox";

/** Largest value of an `integer` column in PostgreSQL. */
export const MAX_INT32 = 2 ** 31 - 1;

/** Schemas of all properties of a type, so that the type checker notices a property without a schema. */
export type SchemasOf<T> = Readonly<Record<keyof T, TSchema>>;

/**
 * Schema of an object whose other properties are ignored.
 *
 * @param title name of the schema in the OpenAPI document, and of the type in generated clients
 */
export function openObject<Properties extends TProperties>(title: string, properties: Properties) {
  return Type.Object(properties, { title, additionalProperties: true });
}

/**
 * Schema of an object in a request. Other properties are a 400, so that nothing that a client means is dropped silently.
 *
 * @param ignored properties that are accepted and ignored, because reading the resource returns them: tools read it, change
 *   a property, and send everything back
 */
export function bodyObject<Properties extends TProperties>(
  title: string,
  properties: Properties,
  ignored: readonly string[] = [],
) {
  return Type.Object(properties, {
    title,
    additionalProperties: false,
    ...(ignored.length > 0 && {
      patternProperties: { [`^(?:${ignored.join("|")})$`]: { description: "Ignored" } },
    }),
  });
}

/**
 * Schema of an object without other properties.
 *
 * @param title name of the schema in the OpenAPI document, and of the type in generated clients
 */
export function closedObject<Properties extends TProperties>(
  title: string,
  properties: Properties,
) {
  return Type.Object(properties, { title, additionalProperties: false });
}

/** Schema of a string or null. */
export function nullableText(maxLength: number) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], maxLength });
}

const ErrorResponse = Type.Object(
  {
    id: Type.String({ description: "Identifies this response in the log of the service" }),
    name: Type.String({ description: "Kind of error" }),
    message: Type.String({ description: "What is wrong and how to correct it" }),
    details: Type.Array(
      Type.Object(
        {
          message: Type.String(),
          path: Type.Optional(Type.String()),
          conflict: Type.Optional(
            Type.Object(
              { was: Type.Unknown(), now: Type.Unknown() },
              { title: "errorConflictSchema" },
            ),
          ),
        },
        { title: "errorDetailSchema" },
      ),
    ),
  },
  { title: "errorSchema" },
);

const ERROR_DESCRIPTIONS = {
  400: "The request is invalid",
  401: "The token is missing or unknown",
  403: "The token has the wrong type or role, or a rule forbids this",
  404: "The resource does not exist",
  409: "The name is taken, or another resource depends on this one",
  412: "The resource has changed since the version in If-Match",
  413: "The body is too large",
  415: "The body is not JSON",
  429: "This address, or all addresses together, sent too many unknown tokens",
  503: "The database is unavailable, or its disk is full",
} as const;

/** Returns the schemas of error responses for the documentation of a route. */
export function errorResponses(...statusCodes: readonly (keyof typeof ERROR_DESCRIPTIONS)[]) {
  return Object.fromEntries(
    // The description is set on the response, so that all statuses share one schema.
    statusCodes.map((code) => [
      code,
      { ...ErrorResponse, "x-response-description": ERROR_DESCRIPTIONS[code] },
    ]),
  );
}

/** A response without a body. */
export const NoBody = Type.Null({ description: "Success without a body" });
