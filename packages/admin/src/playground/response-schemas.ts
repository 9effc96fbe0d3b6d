import type {
  AbbreviatedList,
  ActivationExplanation,
  ConstraintExplanation,
  DependencyExplanation,
  ListExplanation,
  ParentResult,
  RolloutExplanation,
  SegmentExplanation,
  VariantExplanation,
  WeightedVariant,
} from "flags-engine";
import { Type } from "typebox";
import { openObject, type SchemasOf } from "../http/schemas.ts";
import type { evaluateFeature } from "./evaluate.ts";

// These describe responses in the OpenAPI document. Nothing is removed from a response.

type FlagDetails = ReturnType<typeof evaluateFeature>["details"];

/** What all conditions have in common. */
const Condition = {
  matched: Type.Boolean({ description: "Whether the context meets this condition" }),
  explanation: Type.String({ description: "Why the context does or does not meet this condition" }),
  problem: Type.Optional(Type.String({ description: "Why this condition can never be met" })),
};

const ExpectedValues = openObject("playgroundExpectedValuesSchema", {
  shown: Type.Array(Type.String(), { description: "Long lists are abbreviated" }),
  count: Type.Integer({ description: "How many values the list has" }),
} satisfies SchemasOf<AbbreviatedList>);

const Actual = Type.Union([Type.String(), Type.Null()], {
  description: "The value in the context; null if it is absent",
});

const ConstraintDetails = openObject("playgroundConstraintDetailsSchema", {
  contextName: Type.String(),
  operator: Type.String(),
  inverted: Type.Boolean(),
  caseInsensitive: Type.Boolean(),
  values: Type.Optional(ExpectedValues),
  value: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  actual: Actual,
  ...Condition,
} satisfies SchemasOf<ConstraintExplanation>);

const IdFields = {
  stickiness: Type.String({ description: "`default`, `random` or the name of a context field" }),
  field: Type.Optional(Type.String({ description: "The field of the id; absent if it is random" })),
  value: Type.Optional(Type.String({ description: "The id" })),
  groupId: Type.Optional(Type.String({ description: "The group that the id is hashed with" })),
};

const StrategyDetails = openObject("playgroundStrategyDetailsSchema", {
  id: Type.String(),
  title: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  matched: Type.Boolean(),
  constraints: Type.Array(ConstraintDetails),
  segments: Type.Array(
    openObject("playgroundSegmentDetailsSchema", {
      id: Type.String(),
      name: Type.Optional(Type.String()),
      constraints: Type.Array(ConstraintDetails),
      ...Condition,
    } satisfies SchemasOf<SegmentExplanation>),
  ),
  activation: openObject("playgroundActivationDetailsSchema", {
    ...Condition,
    rollout: Type.Optional(
      openObject("playgroundRolloutDetailsSchema", {
        percentage: Type.Integer({ description: "The buckets 1 to this number are included" }),
        ...IdFields,
        bucket: Type.Optional(Type.Integer({ description: "From 1 to 100; absent without an id" })),
      } satisfies SchemasOf<RolloutExplanation>),
    ),
    list: Type.Optional(
      openObject("playgroundListDetailsSchema", {
        field: Type.String(),
        values: ExpectedValues,
        actual: Actual,
      } satisfies SchemasOf<ListExplanation>),
    ),
  } satisfies SchemasOf<ActivationExplanation>),
} satisfies SchemasOf<FlagDetails["strategies"][number]>);

const DependencyDetails = openObject("playgroundDependencyDetailsSchema", {
  name: Type.Optional(Type.String({ description: "The parent" })),
  requires: Type.Union([Type.Literal("on"), Type.Literal("off")]),
  requiresVariants: Type.Array(Type.String(), { description: "Empty: any variant" }),
  result: Type.Optional(
    openObject("playgroundParentResultSchema", {
      enabled: Type.Boolean(),
      variant: Type.Optional(openObject("playgroundParentVariantSchema", { name: Type.String() })),
      reason: Type.String(),
      explanation: Type.String(),
    } satisfies SchemasOf<ParentResult>),
  ),
  ...Condition,
} satisfies SchemasOf<DependencyExplanation>);

const VariantDetails = openObject("playgroundVariantDetailsSchema", {
  definedBy: Type.Union([Type.Literal("strategy"), Type.Literal("flag")]),
  variants: Type.Array(
    openObject("playgroundWeightSchema", {
      name: Type.String(),
      weight: Type.Union([Type.Number(), Type.Null()]),
      selected: Type.Boolean(),
    } satisfies SchemasOf<WeightedVariant>),
  ),
  totalWeight: Type.Union([Type.Number(), Type.Null()]),
  override: Type.Optional(
    openObject("playgroundOverrideSchema", { contextName: Type.String(), value: Type.String() }),
  ),
  ...IdFields,
  bucket: Type.Optional(Type.Number({ description: "From 1 to `totalWeight`" })),
} satisfies SchemasOf<VariantExplanation>);

const Details = openObject("playgroundDetailsSchema", {
  reason: Type.String({ description: "DISABLED, DEFAULT, STATIC, TARGETING_MATCH or SPLIT" }),
  mayChange: Type.Boolean({
    description: "The result depends on the time or on a random number",
  }),
  dependencies: Type.Array(DependencyDetails),
  strategies: Type.Array(StrategyDetails, {
    description: "The strategies that were evaluated, in their order. Disabled ones are not",
  }),
  decidedBy: Type.Optional(
    Type.Integer({
      description: "The position in `strategies` of the strategy that decided the result",
    }),
  ),
  variantSelection: Type.Optional(VariantDetails),
} satisfies SchemasOf<FlagDetails>);

const Result = {
  name: Type.String(),
  projectId: Type.String(),
  isEnabled: Type.Boolean(),
  isEnabledInCurrentEnvironment: Type.Boolean(),
  hasUnsatisfiedDependency: Type.Boolean(),
  strategies: openObject("playgroundStrategiesSchema", {
    result: Type.Union([Type.Boolean(), Type.Literal("unknown")]),
    data: Type.Array(Type.Unknown()),
  }),
  variant: openObject("playgroundVariantSchema", { name: Type.String(), enabled: Type.Boolean() }),
  variants: Type.Array(Type.Unknown()),
  explanation: Type.String({ description: "One sentence that says why" }),
  details: Details,
};

const Input = Type.Unknown({ description: "The body of the request" });

export const PlaygroundResponse = openObject("playgroundResponseSchema", {
  input: Input,
  features: Type.Array(openObject("playgroundFeatureSchema", Result)),
});

export const AdvancedPlaygroundResponse = openObject("advancedPlaygroundResponseSchema", {
  input: Input,
  features: Type.Array(
    openObject("advancedPlaygroundFeatureSchema", {
      name: Type.String(),
      projectId: Type.String(),
      environments: Type.Record(
        Type.String(),
        Type.Array(
          openObject("advancedPlaygroundEnvironmentFeatureSchema", {
            ...Result,
            environment: Type.String(),
            context: Type.Unknown({ description: "One combination of the values" }),
          }),
        ),
      ),
    }),
  ),
});
