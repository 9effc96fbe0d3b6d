import { MAX_VALIDATED_TOKENS } from "flags-server-kit/http";
import { Type } from "typebox";
import { openObject } from "../http/schemas.ts";

const oneOrMany = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      type: ["array", "string"],
      items: { type: "string" },
      description,
    }),
  );

export const FiltersQuery = Type.Object({
  project: oneOrMany("Ids of projects. Only projects in the scope of the token are included"),
  namePrefix: Type.Optional(Type.String({ description: "Prefix of the names of the flags" })),
  tag: oneOrMany("`type:value`. Flags with at least one of these tags"),
});

export const FeatureNameParams = Type.Object({ name: Type.String() });

export const FeatureResponse = openObject("clientFeatureSchema", {
  name: Type.String(),
  type: Type.String(),
  enabled: Type.Boolean(),
  project: Type.String(),
  stale: Type.Boolean(),
  description: Type.Union([Type.String(), Type.Null()]),
  impressionData: Type.Boolean(),
  strategies: Type.Array(openObject("clientFeatureStrategySchema", { name: Type.String() })),
  variants: Type.Array(openObject("clientVariantSchema", {})),
});

const SegmentResponse = openObject("clientSegmentSchema", {
  id: Type.Integer(),
  name: Type.String(),
});

export const FeaturesResponse = openObject("clientFeaturesSchema", {
  version: Type.Integer(),
  features: Type.Array(FeatureResponse),
  segments: Type.Optional(
    Type.Array(SegmentResponse, { description: "Omitted for SDKs that do not support segments" }),
  ),
  query: openObject("clientFeaturesQuerySchema", { environment: Type.String() }),
  meta: Type.Object(
    {
      revisionId: Type.Integer(),
      etag: Type.String(),
      queryHash: Type.String(),
    },
    { title: "clientFeaturesMetaSchema" },
  ),
});

export const DeltaResponse = openObject("clientFeaturesDeltaSchema", {
  events: Type.Array(
    openObject("clientFeaturesDeltaEventSchema", { eventId: Type.Integer(), type: Type.String() }),
  ),
});

export const NotModified = Type.Null({ description: "The client has the current version" });

export const ValidateTokensBody = openObject("tokenStringListSchema", {
  tokens: Type.Array(Type.String(), { maxItems: MAX_VALIDATED_TOKENS }),
});

export const ValidatedTokensResponse = Type.Object(
  {
    tokens: Type.Array(
      Type.Object(
        {
          token: Type.String(),
          type: Type.String(),
          projects: Type.Array(Type.String()),
          environment: Type.String(),
        },
        { title: "validatedEdgeTokenSchema" },
      ),
    ),
  },
  { title: "validatedEdgeTokensSchema" },
);
