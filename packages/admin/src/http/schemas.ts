import { Type, type TProperties } from "typebox";

/**
 * An object that may have other properties, which are ignored.
 *
 * @param title names the schema in the OpenAPI document, and so the type in generated clients
 */
export function openObject<Properties extends TProperties>(title: string, properties: Properties) {
  return Type.Object(properties, { title, additionalProperties: true });
}

/**
 * An object that may have no other properties.
 *
 * @param title names the schema in the OpenAPI document, and so the type in generated clients
 */
export function closedObject<Properties extends TProperties>(
  title: string,
  properties: Properties,
) {
  return Type.Object(properties, { title, additionalProperties: false });
}

/** Text, or null for none. */
export function nullableText(maxLength: number) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], maxLength });
}

const ErrorResponse = Type.Object(
  {
    id: Type.String({ description: "Names this answer in the log of the service" }),
    name: Type.String({ description: "Kind of the failure" }),
    message: Type.String({ description: "What is wrong and how to mend it" }),
    details: Type.Array(
      Type.Object(
        { message: Type.String(), path: Type.Optional(Type.String()) },
        { title: "errorDetailSchema" },
      ),
    ),
  },
  { title: "errorSchema" },
);

const ERROR_DESCRIPTIONS = {
  400: "Something in the request is not as it should be",
  401: "The key is missing or unknown",
  403: "The key is of the wrong kind, or a rule forbids this",
  404: "There is no such thing",
  409: "The name is taken, or something depends on this",
  413: "The body is too large",
  415: "The body is not JSON",
  429: "This address, or all addresses together, sent too many unknown tokens",
  503: "The database is away, or its disk is full",
} as const;

/** The answers that are not a success, for the documentation of a route. */
export function errorResponses(...statusCodes: readonly (keyof typeof ERROR_DESCRIPTIONS)[]) {
  return Object.fromEntries(
    // The description belongs to the response, so that all of them share one schema.
    statusCodes.map((code) => [
      code,
      { ...ErrorResponse, "x-response-description": ERROR_DESCRIPTIONS[code] },
    ]),
  );
}

/** An answer without a body. */
export const NoBody = Type.Null({ description: "Done; there is no body" });
