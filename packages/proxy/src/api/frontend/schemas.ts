import { type Static, Type } from "typebox";
import { readContext } from "../../context/sent-context.ts";
import { createRequestBody, type RequestBody } from "../protocol.ts";
import { Toggle, Variant } from "../toggles.ts";
import {
  ContextValue,
  EvaluationContext,
  MAX_CONTEXT_PROPERTIES,
  NamedToggles,
} from "../schemas.ts";

/** The body of a request for flags: a context, at the top level or under `context`. */
const FrontendBody = Type.Object(
  {
    ...EvaluationContext.properties,
    toggles: NamedToggles,
    context: Type.Optional(
      Type.Unsafe<Static<typeof EvaluationContext> | null>({
        ...EvaluationContext,
        title: "nullableEvaluationContextSchema",
        type: ["object", "null"],
        description: "The context; other fields are read only if it is missing",
      }),
    ),
  },
  {
    title: "frontendRequestSchema",
    additionalProperties: ContextValue,
    maxProperties: MAX_CONTEXT_PROPERTIES,
  },
);

/** A toggle and its variant for a context. */
export const FrontendToggle = Type.Object(
  {
    ...Toggle.properties,
    variant: Type.Object(
      {
        ...Variant.properties,
        feature_enabled: Type.Boolean({ description: "Whether the toggle is on" }),
        featureEnabled: Type.Boolean({
          description: "The same in the spelling that some clients read",
        }),
      },
      { title: "frontendVariantSchema" },
    ),
  },
  { title: "frontendToggleSchema", description: "The toggle and its variant for the context" },
);

/** The response to a request for flags. */
export const FrontendToggleList = Type.Object(
  { toggles: Type.Array(FrontendToggle) },
  {
    title: "frontendToggleListSchema",
    description: "The toggles and their variants for the context",
  },
);

/** Reads the body of a POST. */
export const FRONTEND_BODY: RequestBody = createRequestBody(
  FrontendBody,
  ({ context, toggles, ...fields }) => ({ sent: readContext(context ?? fields), toggles }),
);
