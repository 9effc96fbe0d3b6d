import { type Static, Type } from "typebox";
import { bodyObject } from "../http/schemas.ts";

const MAX_LENGTH = 10_000;
const MAX_FIELDS = 250;

const FieldValue = Type.Unsafe<string | number>({
  type: ["string", "number"],
  maxLength: MAX_LENGTH,
});

/** The context to evaluate for. Properties can also be fields of the context itself. */
const PlaygroundContext = Type.Object(
  {
    appName: Type.Optional(Type.String({ maxLength: MAX_LENGTH })),
    userId: Type.Optional(FieldValue),
    sessionId: Type.Optional(Type.String({ maxLength: MAX_LENGTH })),
    remoteAddress: Type.Optional(Type.String({ maxLength: MAX_LENGTH })),
    currentTime: Type.Optional(
      Type.String({ maxLength: MAX_LENGTH, description: "ISO 8601. Default: the current time" }),
    ),
    properties: Type.Optional(
      Type.Record(Type.String(), FieldValue, {
        maxProperties: MAX_FIELDS,
        description: "Other fields, each a string or a number",
      }),
    ),
  },
  { title: "sdkContextSchema", maxProperties: MAX_FIELDS, additionalProperties: FieldValue },
);

const Projects = Type.Optional(
  Type.Union([Type.Array(Type.String(), { maxItems: 1000 }), Type.Literal("*")], {
    description: "Ids of projects. Default: all",
  }),
);

const Features = Type.Optional(
  Type.Array(Type.String({ maxLength: 255 }), {
    maxItems: 1000,
    description: "Names of the flags to evaluate. Unknown ones are ignored. Default: all",
  }),
);

export const PlaygroundBody = bodyObject("playgroundRequestSchema", {
  environment: Type.String(),
  projects: Projects,
  features: Features,
  context: PlaygroundContext,
});

export const AdvancedPlaygroundBody = bodyObject("advancedPlaygroundRequestSchema", {
  environments: Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
  projects: Projects,
  features: Features,
  context: PlaygroundContext,
});

export type Context = Static<typeof PlaygroundContext>;

/** Which flags to evaluate. */
export interface FlagFilter {
  readonly projects?: Static<typeof Projects>;
  readonly features?: Static<typeof Features>;
}
