import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import { readContext } from "../context/sent-context.ts";
import type { FlagFormat } from "../response/rendering.ts";
import { flagRoutes, selectionRoutes } from "../routes/flag-routes.ts";
import {
  createRequestBody,
  type FlagRequestBody,
  type ProtocolDefinition,
} from "../routes/protocol.ts";
import { Toggle, Variant, createToggleFormat, writeToggles } from "../routes/toggles.ts";
import { FIELD_DESCRIPTIONS, MAX_CONTEXT_PROPERTIES, NamedToggles } from "../routes/schemas.ts";
import { createStreamBody, streamRoutes } from "../routes/stream-routes.ts";
import { usageRoutes } from "../routes/usage-routes.ts";

/** NOTE: as in Edge, an object or a list is ignored, so that it does not cost a client all its flags. */
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

/** The context is at the top level or under `context`. */
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

const FRONTEND_STREAM_BODY = createStreamBody(
  Type.Object(FIELDS, CONTEXT),
  "frontendStreamRequestSchema",
);

const FrontendToggle = named(
  "frontendToggleSchema",
  {
    ...Toggle.properties,
    variant: named("frontendVariantSchema", {
      ...Variant.properties,
      feature_enabled: Type.Boolean({ description: "Whether the flag is on" }),
      featureEnabled: Type.Boolean({
        description: "The same, with the spelling that some clients read",
      }),
    }),
  },
  { description: "The flag and its variant for the context" },
);

const FrontendToggleList = named(
  "frontendToggleListSchema",
  { toggles: Type.Array(FrontendToggle) },
  { description: "The flags and their variants for the context" },
);

const FRONTEND_BODY: FlagRequestBody = {
  ...createRequestBody(FrontendBody, ({ context, toggles, ...fields }) => ({
    sent: readContext(context ?? fields),
    toggles,
  })),
  isOptional: true,
};

const frontendFormat: FlagFormat = createToggleFormat(({ variant, ...toggle }) => ({
  ...toggle,
  // NOTE: the upstream sends both spellings; older and newer clients read one or the other.
  variant: { ...variant, feature_enabled: toggle.enabled, featureEnabled: toggle.enabled },
}));

/** The frontend API of Unleash and Edge. As in the upstream, caches revalidate each response. */
export const FRONTEND: ProtocolDefinition = {
  // The second one is its previous path.
  paths: ["/api/frontend", "/api/proxy"],
  cacheControl: "no-cache",
  createFormat: () => frontendFormat,
  ignoresInvalidValues: true,
  streamEvents: { kind: "frontend", write: writeToggles },
  createRoutes: (options) => [
    ...flagRoutes({ ...options, ...FLAG_ROUTES, responseSchema: FrontendToggleList }),
    ...selectionRoutes(
      { ...options, ...FLAG_ROUTES, responseSchema: FrontendToggle },
      {
        path: "/features/:name",
        params: Type.Object({ name: Type.String({ description: "Name of the flag" }) }),
        subject: "one toggle, on or off",
        errors: [400, 401, 404, 503],
        select: (call) => ({ single: call.param("name") }),
      },
    ),
    ...usageRoutes(options),
    ...streamRoutes({ ...options, body: FRONTEND_STREAM_BODY }),
  ],
};

const FLAG_ROUTES = { body: FRONTEND_BODY, tag: "Frontend API" };
