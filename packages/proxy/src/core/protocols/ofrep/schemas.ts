import { OFREP_REASONS } from "flags-sdk/neutral";
import { type Static, Type } from "typebox";
import { named } from "../../http/named-schema.ts";
import {
  ContextValue,
  describeErrors,
  EvaluationContext,
  MAX_CONTEXT_PROPERTIES,
} from "../../routes/schemas.ts";

const { properties: _properties, ...standardFields } = EvaluationContext.properties;

export const OfrepContext = named(
  "ofrepContextSchema",
  {
    targetingKey: Type.Optional(
      Type.Unsafe<Static<typeof ContextValue>>({
        ...ContextValue,
        description: "Id of the user; takes precedence over `userId`",
      }),
    ),
    ...standardFields,
    properties: Type.Optional(
      Type.Unknown({
        description: "An object of additional properties",
        maxProperties: MAX_CONTEXT_PROPERTIES,
      }),
    ),
  },
  {
    additionalProperties: Type.Unknown(),
    maxProperties: MAX_CONTEXT_PROPERTIES,
    description: "Other fields are properties; objects and lists are ignored",
  },
);

export const OfrepBody = named("ofrepRequestSchema", {
  context: Type.Optional(
    Type.Unsafe<Static<typeof OfrepContext> | null>({
      ...OfrepContext,
      type: ["object", "null"],
    }),
  ),
});

export const OfrepEvaluation = named(
  "ofrepEvaluationSchema",
  {
    key: Type.String({ description: "Name of the flag" }),
    value: Type.Unsafe<unknown>({
      type: ["boolean", "string", "number", "object"],
      description: "Whether the flag is on, or the payload of its variant: see `OFREP_VALUES`",
    }),
    reason: Type.String({ enum: [...OFREP_REASONS], description: "Why the flag has this value" }),
    variant: Type.String({
      description: "Name of the variant; `enabled` or `disabled` without a variant",
    }),
    metadata: named("ofrepMetadataSchema", {
      enabled: Type.Boolean({ description: "Whether the flag is on" }),
      variantEnabled: Type.Boolean({
        description: "Whether the flag has a variant for the context",
      }),
      payloadType: Type.Optional(Type.String()),
      payload: Type.Optional(Type.String()),
    }),
  },
  { description: "The flag for the context" },
);

const FlagError = named("ofrepFlagErrorSchema", {
  key: Type.String(),
  errorCode: Type.String({ enum: ["PARSE_ERROR"] }),
  errorDetails: Type.String(),
});

const StreamAddress = named("ofrepEventStreamSchema", {
  type: Type.Literal("sse"),
  endpoint: Type.Object({
    requestUri: Type.String({
      description: "Path and query, relative to the origin of the request",
    }),
  }),
});

export const OfrepEvaluations = named(
  "ofrepEvaluationListSchema",
  {
    flags: Type.Array(Type.Union([OfrepEvaluation, FlagError])),
    eventStreams: Type.Optional(
      Type.Array(StreamAddress, {
        description: "Streams that notify clients of changes; only with `ofrepEventStreams`",
      }),
    ),
  },
  { description: "The flags for the context" },
);

const ErrorBody = named("ofrepErrorSchema", {
  key: Type.Optional(
    Type.String({ description: "The requested flag, if the request was for a single one" }),
  ),
  errorCode: Type.String({
    enum: ["PARSE_ERROR", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL"],
  }),
  errorDetails: Type.String({ description: "The problem and how to fix it" }),
});

const ERROR_DESCRIPTIONS = {
  400: "The request is invalid: the message names what is wrong",
  401: "The key or the context's signature is missing or not accepted",
  403: "The key's rules in the access file do not allow the request",
  404: "There is no flag with this name",
  413: "The body is too large",
  415: "The body is not JSON, or its `Content-Encoding` is neither gzip nor deflate",
  429: "Too many requests with the key: `Retry-After` says how long to wait",
  503:
    "The proxy has not synchronized with its upstream yet, cannot verify the key or the context's " +
    "signature now, or is reading too many long bodies",
  default: "Any other error",
} as const;

export function ofrepErrors(
  ...statusCodes: readonly Exclude<keyof typeof ERROR_DESCRIPTIONS, "default">[]
) {
  return describeErrors(ErrorBody, ERROR_DESCRIPTIONS, [...statusCodes, "default"]);
}
