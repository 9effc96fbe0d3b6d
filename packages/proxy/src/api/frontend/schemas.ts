import { type Static, Type } from "typebox";
import { ContextValue, EvaluationContext, NamedToggles, Toggle, Variant } from "../schemas.ts";

/** The body of an evaluation request: a context, at the top level or under `context`. */
export const FrontendBody = Type.Object(
  {
    ...EvaluationContext.properties,
    toggles: NamedToggles,
    context: Type.Optional(
      Type.Unsafe<Static<typeof EvaluationContext> | null>({
        ...EvaluationContext,
        title: "nullableEvaluationContextSchema",
        type: ["object", "null"],
        description: "The context; the fields beside it count only when it is missing",
      }),
    ),
  },
  { title: "frontendRequestSchema", additionalProperties: ContextValue },
);

/** A toggle and its variant for a context. */
export const FrontendToggle = Type.Object(
  {
    ...Toggle.properties,
    variant: Type.Object(
      {
        ...Variant.properties,
        feature_enabled: Type.Boolean({ description: "Whether the toggle is on" }),
        featureEnabled: Type.Boolean({ description: "The same, as some clients spell it" }),
      },
      { title: "frontendVariantSchema" },
    ),
  },
  { title: "frontendToggleSchema", description: "The toggle and its variant for the context" },
);

/** The response to an evaluation request. */
export const FrontendToggleList = Type.Object(
  { toggles: Type.Array(FrontendToggle) },
  {
    title: "frontendToggleListSchema",
    description: "The toggles and their variants for the context",
  },
);
