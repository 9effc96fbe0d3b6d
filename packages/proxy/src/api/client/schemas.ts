import { Type } from "typebox";

/** A flag as the upstream defines it. */
export const Definition = Type.Object(
  { name: Type.String() },
  { title: "featureDefinitionSchema", additionalProperties: true },
);

const Segment = Type.Object({}, { title: "segmentDefinitionSchema", additionalProperties: true });

/** The response to a request for definitions. */
export const Definitions = Type.Object(
  {
    version: Type.Integer(),
    features: Type.Array(Definition),
    segments: Type.Optional(Type.Array(Segment)),
  },
  { title: "featureDefinitionsSchema", description: "The flags as the upstream defines them" },
);

const oneOrMany = Type.Unsafe<string | string[]>({
  type: "array",
  items: { type: "string" },
  description: "Projects whose flags are wanted; `*`, or none, stands for all",
});

/** Which flags are wanted. */
export const DefinitionsQuery = Type.Object({
  project: Type.Optional(oneOrMany),
  namePrefix: Type.Optional(Type.String({ description: "How the names of the flags begin" })),
});

const DeltaEvent = Type.Object(
  {
    eventId: Type.Integer({ description: "The state that the changes lead to" }),
    type: Type.Union(
      [
        Type.Literal("hydration"),
        Type.Literal("feature-updated"),
        Type.Literal("feature-removed"),
        Type.Literal("segment-updated"),
        Type.Literal("segment-removed"),
      ],
      { description: "A hydration brings everything, in `features` and `segments`" },
    ),
    features: Type.Optional(Type.Array(Definition)),
    segments: Type.Optional(Type.Array(Segment)),
    feature: Type.Optional(Definition),
    featureName: Type.Optional(Type.String()),
    project: Type.Optional(Type.String()),
    segment: Type.Optional(Segment),
    segmentId: Type.Optional(Type.Unsafe<number | string>({ type: ["integer", "string"] })),
  },
  { title: "deltaEventSchema", description: "One change; the order matters" },
);

/** The response to a request for changes. */
export const Delta = Type.Object({ events: Type.Array(DeltaEvent) }, { title: "deltaSchema" });
