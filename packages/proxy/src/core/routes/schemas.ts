import { type Static, type TOptional, type TSchema, Type } from "typebox";
import { named } from "../http/named-schema.ts";

/** Schemas of all properties of a type, so that the type checker notices a property without a schema. */
export type SchemasOf<T> = Readonly<Record<keyof T, TSchema>>;

export const MAX_CONTEXT_PROPERTIES = 1000;

/** A value of a context. It is converted to text; null stands for no value. */
export const ContextValue = Type.Unsafe<string | number | boolean | null>({
  type: ["string", "number", "boolean", "null"],
});

export const FIELD_DESCRIPTIONS = {
  appName: "Name of the application",
  userId: "Id of the user",
  sessionId: "Id of the session; generated for each request if it is missing",
  environment: "Environment of the context; ignored if the proxy has a fixed one",
  remoteAddress: "Address of the client; the caller's address if it is missing",
  currentTime:
    "The time to evaluate for, in ISO 8601, or in a JSON body in epoch milliseconds; the current time if it is missing",
  properties:
    "Additional properties of the context, without nesting. Takes precedence over a field of the same name",
} as const;

const Properties = Type.Unsafe<Record<string, string | number | boolean | null> | null>({
  type: ["object", "null"],
  additionalProperties: ContextValue,
  maxProperties: MAX_CONTEXT_PROPERTIES,
  description: FIELD_DESCRIPTIONS.properties,
});

/** The schemas of the fields other than `properties`. */
function contextFields<Schema extends TSchema>(toSchema: (description: string) => Schema) {
  const { properties: _properties, ...descriptions } = FIELD_DESCRIPTIONS;
  const fields = Object.entries(descriptions).map(([name, description]) => [
    name,
    Type.Optional(toSchema(description)),
  ]);
  return Object.fromEntries(fields) as Record<keyof typeof descriptions, TOptional<Schema>>;
}

export const EvaluationContext = named(
  "evaluationContextSchema",
  {
    ...contextFields((description) =>
      Type.Unsafe<Static<typeof ContextValue>>({ ...ContextValue, description }),
    ),
    properties: Type.Optional(Properties),
  },
  { additionalProperties: ContextValue, maxProperties: MAX_CONTEXT_PROPERTIES },
);

export const ContextQuery = Type.Object({
  ...contextFields((description) => Type.String({ description })),
  properties: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: Type.String(),
      description: "Additional properties: each as `name=value` or as `properties[name]=value`",
    }),
  ),
});

export const NamedToggles = Type.Optional(
  Type.Array(Type.String(), {
    maxItems: 10_000,
    description: "If present, only flags with these names are listed, on or off",
  }),
);

const ErrorBody = named("errorSchema", {
  error: Type.String({ description: "The problem and how to fix it" }),
  validation: Type.Optional(
    Type.Array(named("validationProblemSchema", { path: Type.String(), message: Type.String() })),
  ),
});

const ERROR_DESCRIPTIONS = {
  400: "The request is invalid: the message names what is wrong",
  401: "The key, the token in the URL or the context's signature is missing or not accepted",
  403: "The key's rules in the access file do not allow the request, or the context",
  404: "There is no toggle with this name",
  413: "The body is too large, or its contents do not fit into a URL",
  415: "The body is not JSON, or its `Content-Encoding` is neither gzip nor deflate",
  429: "Too many unknown tokens, or too many requests with the key: `Retry-After` says how long to wait",
  501: "The endpoint is not enabled",
  503:
    "The proxy has not synchronized with its upstream yet, is shutting down (only `/ready`), cannot verify the key or the context's " +
    "signature now, or has reached a limit: of usage that waits to be sent, streams, long bodies or " +
    "explanations",
  default:
    "Any other error: 405 for a method that the path does not support, 414 or 431 for a request " +
    "line or headers that are too long, 408 for a request that takes too long, 500 for an error " +
    "inside the proxy",
} as const;

export type ErrorStatus = Exclude<keyof typeof ERROR_DESCRIPTIONS, "default">;

/** The error responses of a route in the OpenAPI document, which share one schema. */
export function describeErrors<Status extends number | "default">(
  schema: TSchema,
  descriptions: Readonly<Record<Status, string>>,
  statusCodes: readonly Status[],
) {
  return Object.fromEntries(
    statusCodes.map((code) => [code, { ...schema, "x-response-description": descriptions[code] }]),
  );
}

export function errorResponses(...statusCodes: readonly ErrorStatus[]) {
  // Every route that requires a key applies the rules of the key.
  const ofKeys: readonly ErrorStatus[] = statusCodes.includes(401) ? [403, 429] : [];
  return describeErrors(ErrorBody, ERROR_DESCRIPTIONS, [...statusCodes, ...ofKeys, "default"]);
}

export const NotModified = Type.Null({
  description: "The client's response is still current",
});
