import { Type } from "typebox";
import { readContext } from "../../context/sent-context.ts";
import { createRequestBody, type RequestBody } from "../protocol.ts";
import { Toggle, Variant } from "../toggles.ts";
import { FIELD_DESCRIPTIONS, MAX_CONTEXT_PROPERTIES, NamedToggles } from "../schemas.ts";
import { createStreamBody } from "../streams.ts";

/**
 * The fields of a context, of any type.
 *
 * NOTE: as in Edge, an object or a list is ignored, so that it does not cost a client all its flags.
 */
const FIELDS = Object.fromEntries(
  Object.entries(FIELD_DESCRIPTIONS).map(([name, description]) => [
    name,
    Type.Optional(Type.Unknown({ description, maxProperties: MAX_CONTEXT_PROPERTIES })),
  ]),
);

const CONTEXT = {
  title: "frontendContextSchema",
  additionalProperties: Type.Unknown(),
  maxProperties: MAX_CONTEXT_PROPERTIES,
  description: "Values other than strings, numbers and booleans are ignored",
};

/** The body of a request for flags: a context, at the top level or under `context`. */
const FrontendBody = Type.Object(
  {
    ...FIELDS,
    toggles: NamedToggles,
    context: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>> | null>({
        ...Type.Object(FIELDS, CONTEXT),
        title: "nullableEvaluationContextSchema",
        type: ["object", "null"],
        description: "The context. Without it, the context is read from the other fields",
      }),
    ),
  },
  { ...CONTEXT, title: "frontendRequestSchema" },
);

/** The body of a request for a stream. */
export const FRONTEND_STREAM_BODY = createStreamBody(
  Type.Object(FIELDS, CONTEXT),
  "frontendStreamRequestSchema",
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
          description: "The same, with the spelling that some clients read",
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
