import { type Static, Type } from "typebox";
import { openObject } from "../http/schemas.ts";

const MAX_LENGTH = 10_000;

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
        description: "Further fields, each a text or number",
      }),
    ),
  },
  { title: "sdkContextSchema", additionalProperties: FieldValue },
);

const Projects = Type.Optional(
  Type.Union([Type.Array(Type.String(), { maxItems: 1000 }), Type.Literal("*")], {
    description: "Ids of projects. Default: all",
  }),
);

export const PlaygroundBody = openObject("playgroundRequestSchema", {
  environment: Type.String(),
  projects: Projects,
  context: PlaygroundContext,
});

export const AdvancedPlaygroundBody = openObject("advancedPlaygroundRequestSchema", {
  environments: Type.Array(Type.String(), { minItems: 1, maxItems: 100 }),
  projects: Projects,
  context: PlaygroundContext,
});

export type Context = Static<typeof PlaygroundContext>;
export type ProjectFilter = Static<typeof Projects>;
