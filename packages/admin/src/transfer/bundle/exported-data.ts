import { type Static, Type } from "typebox";
import { ConstraintBody } from "../../domain/constraints/check-constraints.ts";
import { CreateContextFieldBody } from "../../domain/context-fields/schemas.ts";
import { DependencyBody } from "../../domain/dependencies/schemas.ts";
import { CreateFeatureBody } from "../../domain/features/schemas.ts";
import { CreateStrategyBody } from "../../domain/strategies/schemas.ts";
import { CreateTagTypeBody } from "../../domain/tag-types.ts";
import { TagValue } from "../../domain/tags/schemas.ts";
import {
  FlagVariantsBody,
  MAX_VARIANTS,
  StrategyVariantsBody,
} from "../../domain/variants/schemas.ts";
import { Name } from "../../http/names.ts";
import { openObject } from "../../http/schemas.ts";
import { LIMITS } from "../../limits.ts";

const { type, description, impressionData } = CreateFeatureBody.properties;
const { title, disabled, parameters, sortOrder } = CreateStrategyBody.properties;

const ExportedFeature = openObject("exportedBatchFeatureSchema", {
  name: Name,
  type,
  description,
  impressionData,
  stale: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
});

const ExportedStrategyVariant = openObject(
  "exportedStrategyVariantSchema",
  StrategyVariantsBody.items.properties,
);

const ExportedVariant = openObject("exportedVariantSchema", FlagVariantsBody.items.properties);

const ExportedStrategy = openObject("exportedFeatureStrategySchema", {
  name: Type.String(),
  featureName: Type.String(),
  environment: Type.Optional(Type.String()),
  title,
  disabled,
  parameters,
  variants: Type.Optional(Type.Array(ExportedStrategyVariant, { maxItems: MAX_VARIANTS })),
  sortOrder,
  constraints: Type.Optional(Type.Array(ConstraintBody)),
  segments: Type.Optional(Type.Array(Type.Integer(), { description: "Ids in `segments`" })),
});

const ExportedEnvironment = openObject("exportedFeatureEnvironmentSchema", {
  featureName: Type.String(),
  enabled: Type.Boolean(),
  environment: Type.Optional(Type.String()),
  variants: Type.Optional(Type.Array(ExportedVariant, { maxItems: MAX_VARIANTS })),
});

const MAX_STRATEGIES = LIMITS.features * 10;

/** One environment of flags, with what they refer to. The parts of flags are separate lists. */
export const ExportedData = openObject("exportResultSchema", {
  features: Type.Array(ExportedFeature, { maxItems: LIMITS.features }),
  featureStrategies: Type.Array(ExportedStrategy, { maxItems: MAX_STRATEGIES }),
  featureEnvironments: Type.Optional(
    Type.Array(ExportedEnvironment, { maxItems: LIMITS.features }),
  ),
  contextFields: Type.Optional(
    Type.Array(
      openObject("exportedContextFieldReferenceSchema", CreateContextFieldBody.properties),
      {
        maxItems: 1000,
      },
    ),
  ),
  featureTags: Type.Optional(
    Type.Array(
      openObject("featureTagSchema", {
        featureName: Type.String(),
        tagType: Type.Optional(Type.String({ minLength: 2, maxLength: 50 })),
        tagValue: TagValue,
      }),
      { maxItems: MAX_STRATEGIES },
    ),
  ),
  segments: Type.Optional(
    Type.Array(
      openObject("exportedSegmentReferenceSchema", {
        id: Type.Integer(),
        name: Type.Optional(Type.String()),
      }),
      { maxItems: 1000 },
    ),
  ),
  tagTypes: Type.Optional(
    Type.Array(openObject("exportedTagTypeSchema", CreateTagTypeBody.properties), {
      maxItems: 1000,
    }),
  ),
  dependencies: Type.Optional(
    Type.Array(
      openObject("featureDependenciesSchema", {
        feature: Type.String(),
        dependencies: Type.Array(
          openObject("exportedDependencySchema", DependencyBody.properties),
          {
            maxItems: 1,
          },
        ),
      }),
      { maxItems: LIMITS.features },
    ),
  ),
  links: Type.Optional(
    Type.Array(
      openObject("featureLinksSchema", {
        feature: Type.String(),
        links: Type.Array(openObject("featureLinkSchema", { url: Type.String() }), {
          maxItems: 100,
        }),
      }),
      {
        maxItems: LIMITS.features,
        description: "Left out, with a warning",
      },
    ),
  ),
});

export type ExportedData = Static<typeof ExportedData>;
