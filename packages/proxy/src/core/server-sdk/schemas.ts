import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import type { Restriction } from "../access/restriction.ts";

export const SERVER_SDK = { tags: ["Server SDKs"], security: [{ serverToken: [] }] };

export const Definition = named(
  "featureDefinitionSchema",
  { name: Type.String() },
  { additionalProperties: true },
);

const Segment = named("segmentDefinitionSchema", {}, { additionalProperties: true });

export const DefinitionsResponse = named(
  "featureDefinitionsSchema",
  {
    version: Type.Integer(),
    features: Type.Array(Definition),
    segments: Type.Optional(Type.Array(Segment)),
  },
  { description: "The definitions of flags, as the upstream sends them" },
);

const oneOrMany = Type.Unsafe<string | string[]>({
  type: "array",
  items: { type: "string" },
  description: "Projects of the flags; `*`, or no project, selects all",
});

/** Selects flags. Filtering by tag is not supported: definitions contain no tags. */
export const DefinitionsQuery = Type.Object({
  project: Type.Optional(oneOrMany),
  namePrefix: Type.Optional(Type.String({ description: "Prefix of the names of the flags" })),
});

export function parseDefinitionsQuery(url: string): Restriction {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
  const projects = query.getAll("project").filter((project) => project !== "*");
  return {
    projects: projects.length === 0 ? undefined : projects,
    namePrefix: query.get("namePrefix") ?? "",
  };
}

const DeltaEvent = named(
  "deltaEventSchema",
  {
    eventId: Type.Integer({ description: "Identifies the state after the change" }),
    type: Type.Union(
      [
        Type.Literal("hydration"),
        Type.Literal("feature-updated"),
        Type.Literal("feature-removed"),
        Type.Literal("segment-updated"),
        Type.Literal("segment-removed"),
      ],
      { description: "A hydration contains the complete state, in `features` and `segments`" },
    ),
    features: Type.Optional(Type.Array(Definition)),
    segments: Type.Optional(Type.Array(Segment)),
    feature: Type.Optional(Definition),
    featureName: Type.Optional(Type.String()),
    project: Type.Optional(Type.String()),
    segment: Type.Optional(Segment),
    segmentId: Type.Optional(Type.Unsafe<number | string>({ type: ["integer", "string"] })),
  },
  { description: "One change; the order matters" },
);

export const Delta = named("deltaSchema", { events: Type.Array(DeltaEvent) });
