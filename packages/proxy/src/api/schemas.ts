import { Type } from "typebox";

// The `title` of a schema is its name in the OpenAPI document, and so the name of a type in clients
// that are generated from it: renaming one breaks them.

/** A value of a context: taken as its text; null stands for no value. */
export const ContextValue = Type.Unsafe<string | number | boolean | null>({
  type: ["string", "number", "boolean", "null"],
});

const Properties = Type.Unsafe<Record<string, string | number | boolean | null> | null>({
  type: ["object", "null"],
  additionalProperties: ContextValue,
  description: "Further properties of the context. Flat; wins over a field of the same name",
});

const FIELD_DESCRIPTIONS = {
  appName: "Name of the application that asks",
  userId: "Id of the user",
  sessionId: "Id of the session; one is made up for the request when it is missing",
  environment: "Environment of the context; ignored when the proxy has a fixed one",
  remoteAddress: "Address of the client; the caller's address when it is missing",
  currentTime:
    "The time to evaluate for, in ISO 8601, or in a JSON body in epoch milliseconds. Now if missing",
} as const;

const contextField = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | number | boolean | null>({
      type: ["string", "number", "boolean", "null"],
      description,
    }),
  );

/** The context of a request body. */
export const EvaluationContext = Type.Object(
  {
    appName: contextField(FIELD_DESCRIPTIONS.appName),
    userId: contextField(FIELD_DESCRIPTIONS.userId),
    sessionId: contextField(FIELD_DESCRIPTIONS.sessionId),
    environment: contextField(FIELD_DESCRIPTIONS.environment),
    remoteAddress: contextField(FIELD_DESCRIPTIONS.remoteAddress),
    currentTime: contextField(FIELD_DESCRIPTIONS.currentTime),
    properties: Type.Optional(Properties),
  },
  { title: "evaluationContextSchema", additionalProperties: ContextValue },
);

const parameter = (description: string) => Type.Optional(Type.String({ description }));

/** The context as query parameters. Any further parameter is a property. */
export const ContextQuery = Type.Object({
  appName: parameter(FIELD_DESCRIPTIONS.appName),
  userId: parameter(FIELD_DESCRIPTIONS.userId),
  sessionId: parameter(FIELD_DESCRIPTIONS.sessionId),
  environment: parameter(FIELD_DESCRIPTIONS.environment),
  remoteAddress: parameter(FIELD_DESCRIPTIONS.remoteAddress),
  currentTime: parameter(FIELD_DESCRIPTIONS.currentTime),
  properties: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Further properties: each as `name=value` or as `properties[name]=value`",
    }),
  ),
});

/** Most toggles that can be asked for by name in one request. */
export const MAX_NAMED_TOGGLES = 10_000;

/** The names in the body of an evaluation request. */
export const NamedToggles = Type.Optional(
  Type.Array(Type.String(), {
    maxItems: MAX_NAMED_TOGGLES,
    description: "Names of the toggles to answer for, on or off",
  }),
);

/** The body of an evaluation request. */
export const EvaluationBody = Type.Object(
  { toggles: NamedToggles, context: EvaluationContext },
  { title: "evaluationRequestSchema" },
);

/** The variant of a toggle. */
export const Variant = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean({ description: "False when the toggle has no variant for the context" }),
    payload: Type.Optional(
      Type.Object(
        {
          type: Type.String({ description: "What the value holds, such as string or json" }),
          value: Type.String({ description: "Always text; JSON is encoded" }),
        },
        { title: "variantPayloadSchema" },
      ),
    ),
  },
  { title: "variantSchema" },
);

/** A toggle and its variant for a context. */
export const Toggle = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean(),
    variant: Variant,
    impressionData: Type.Boolean(),
  },
  { title: "toggleSchema" },
);

/** The response to an evaluation request. */
export const ToggleList = Type.Object(
  { toggles: Type.Array(Toggle) },
  { title: "toggleListSchema", description: "The toggles and their variants for the context" },
);

/** The body of a request for a stream. */
export const StreamBody = Type.Object(
  {
    ...EvaluationBody.properties,
    all: Type.Optional(
      Type.Boolean({
        description: "Whether the toggles that are off are wanted too; without effect on `toggles`",
      }),
    ),
  },
  { title: "streamRequestSchema" },
);

/** Where a stream can be read without a key. */
export const StreamAddress = Type.Object(
  {
    url: Type.String({
      description: "For an EventSource. It is as good as a key: keep it private",
    }),
    expiresAt: Type.String({
      format: "date-time",
      description: "Until then the stream can be opened; it goes on after that",
    }),
  },
  { title: "streamAddressSchema", description: "The address of the stream" },
);

/** The events of a stream: each has the toggles as data, and their entity tag as id. */
export const StreamEvents = {
  description:
    "The stream: each event `toggles` brings a list of toggles, its id is their entity tag",
  content: { "text/event-stream": { schema: Type.String() } },
} as const;

const ErrorBody = Type.Object(
  {
    error: Type.String({ description: "The problem and how to fix it" }),
    validation: Type.Optional(
      Type.Array(
        Type.Object(
          { path: Type.String(), message: Type.String() },
          { title: "validationProblemSchema" },
        ),
      ),
    ),
  },
  { title: "errorSchema" },
);

const ERROR_DESCRIPTIONS = {
  400: "The request is invalid: the message names what is wrong",
  401: "The key, or the token in the address, is missing or not one of the accepted ones",
  404: "There is no toggle of this name",
  413: "The body is too large, or what it holds is too much for an address",
  415: "The body is not JSON",
  501: "The endpoint is not switched on",
  503:
    "The proxy has not synchronized with its upstream yet, too much usage waits to be sent, or too " +
    "many streams are open",
} as const;

/** A failure that the documentation of a route can name. */
export type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS;

const OTHER_ERRORS = {
  ...ErrorBody,
  "x-response-description":
    "Any other failure: 405 for a method that the path does not have, 414 or 431 for a request " +
    "line or headers that are too long, 408 for a request that takes too long, 500 for an error " +
    "inside the proxy",
};

/**
 * The error responses of a route, for its documentation. The description belongs to the response, so
 * that all of them share one schema.
 */
export function errorResponses(...statusCodes: readonly ErrorStatus[]) {
  const known = statusCodes.map((code) => [
    code,
    { ...ErrorBody, "x-response-description": ERROR_DESCRIPTIONS[code] },
  ]);
  return { ...Object.fromEntries(known), default: OTHER_ERRORS };
}

/** The answer of a conditional request whose entity tag is still right. */
export const NotModified = Type.Null({ description: "What the caller has is still right" });
