import type * as Engine from "flags-engine";
import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import { EvaluationContext, type SchemasOf } from "../routes/schemas.ts";
import { Payload, Variant } from "../routes/toggles.ts";

export const ExplainBody = named("explainRequestSchema", {
  context: Type.Optional(EvaluationContext),
  flags: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 1000,
      description: "Names of the flags to explain. Default: all",
    }),
  ),
});

const Matched = Type.Boolean({ description: "Whether the context meets this condition" });

const ShownValues = named("explainedValuesSchema", {
  shown: Type.Array(Type.String(), { description: "Long lists are abbreviated" }),
  count: Type.Integer({ description: "How many values the list has" }),
} satisfies SchemasOf<Engine.AbbreviatedList>);

const Actual = Type.Union([Type.String(), Type.Null()], {
  description: "The value in the context; null if it is absent",
});

const Condition = {
  matched: Matched,
  explanation: Type.String({ description: "Why the context does or does not meet this condition" }),
  problem: Type.Optional(
    Type.String({
      description: "Why this condition can never be met, such as an unknown operator",
    }),
  ),
};

const Constraint = named("explainedConstraintSchema", {
  contextName: Type.String(),
  operator: Type.String(),
  inverted: Type.Boolean(),
  caseInsensitive: Type.Boolean(),
  values: Type.Optional(ShownValues),
  value: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  actual: Actual,
  ...Condition,
} satisfies SchemasOf<Engine.ConstraintExplanation>);

const Segment = named("explainedSegmentSchema", {
  id: Type.String(),
  name: Type.Optional(Type.String()),
  constraints: Type.Array(Constraint),
  ...Condition,
} satisfies SchemasOf<Engine.SegmentExplanation>);

const IdFields = {
  stickiness: Type.String({ description: "`default`, `random` or the name of a context field" }),
  field: Type.Optional(
    Type.String({
      description: "The context field that the id comes from; absent if it is random",
    }),
  ),
  value: Type.Optional(Type.String({ description: "The id" })),
  groupId: Type.Optional(Type.String({ description: "The group that the id is hashed with" })),
};

const Rollout = named("explainedRolloutSchema", {
  percentage: Type.Integer({ description: "The buckets 1 to this number are included" }),
  ...IdFields,
  bucket: Type.Optional(Type.Integer({ description: "From 1 to 100; absent without an id" })),
} satisfies SchemasOf<Engine.RolloutExplanation>);

const Activation = named(
  "explainedActivationSchema",
  {
    ...Condition,
    rollout: Type.Optional(Rollout),
    list: Type.Optional(
      named("explainedListSchema", {
        field: Type.String(),
        values: ShownValues,
        actual: Actual,
      } satisfies SchemasOf<Engine.ListExplanation>),
    ),
  } satisfies SchemasOf<Engine.ActivationExplanation>,
  { description: "When the strategy matches, apart from its constraints and segments" },
);

const Strategy = named("explainedStrategySchema", {
  name: Type.String(),
  matched: Matched,
  constraints: Type.Array(Constraint),
  segments: Type.Array(Segment),
  activation: Activation,
} satisfies SchemasOf<Engine.StrategyExplanation>);

const ParentVariant = named("explainedVariantSchema", {
  name: Type.String(),
  payload: Type.Optional(Payload),
});

const Reason = Type.String({
  description: "DISABLED, DEFAULT, STATIC, TARGETING_MATCH, SPLIT or FLAG_NOT_FOUND",
});

const Dependency = named("explainedDependencySchema", {
  name: Type.Optional(Type.String({ description: "Absent if the key may not see this flag" })),
  ...Condition,
  requires: Type.Union([Type.Literal("on"), Type.Literal("off")]),
  requiresVariants: Type.Array(Type.String(), { description: "Empty: any variant" }),
  result: Type.Optional(
    named("explainedParentSchema", {
      enabled: Type.Boolean(),
      variant: Type.Optional(ParentVariant),
      reason: Reason,
      explanation: Type.String(),
    } satisfies SchemasOf<Engine.ParentResult>),
  ),
} satisfies SchemasOf<Engine.DependencyExplanation>);

const VariantSelection = named("explainedVariantSelectionSchema", {
  definedBy: Type.Union([Type.Literal("strategy"), Type.Literal("flag")]),
  variants: Type.Array(
    named("explainedWeightSchema", {
      name: Type.String(),
      weight: Type.Union([Type.Number(), Type.Null()]),
      selected: Type.Boolean(),
    } satisfies SchemasOf<Engine.WeightedVariant>),
  ),
  totalWeight: Type.Union([Type.Number(), Type.Null()]),
  override: Type.Optional(
    named(
      "explainedOverrideSchema",
      { contextName: Type.String(), value: Type.String() },
      { description: "The value that selected the variant regardless of its weight" },
    ),
  ),
  ...IdFields,
  bucket: Type.Optional(Type.Number({ description: "From 1 to `totalWeight`" })),
} satisfies SchemasOf<Engine.VariantExplanation>);

const ExplainedFlag = named("explainedFlagSchema", {
  name: Type.String(),
  enabled: Type.Boolean(),
  variant: Variant,
  reason: Reason,
  explanation: Type.String({ description: "One sentence that says why" }),
  enabledInEnvironment: Type.Optional(Type.Boolean()),
  mayChange: Type.Optional(
    Type.Boolean({
      description: "The result depends on the time, a random number or a custom strategy",
    }),
  ),
  dependencies: Type.Optional(Type.Array(Dependency)),
  strategies: Type.Optional(Type.Array(Strategy)),
  decidedBy: Type.Optional(
    Type.Integer({
      description: "The position in `strategies` of the strategy that decided the result",
    }),
  ),
  variantSelection: Type.Optional(VariantSelection),
} satisfies SchemasOf<Engine.Explanation>);

export const Explanations = named("explanationsSchema", { flags: Type.Array(ExplainedFlag) });
