import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { readContext, parseQueryContext } from "../../context/sent-context.ts";
import { allowNoBody } from "../../http/json-body.ts";
import type { FlagFormat } from "../../response/rendering.ts";
import { createFlagHandler } from "../flag-handler.ts";
import { registerFlagRoutes } from "../flag-routes.ts";
import {
  createRequestBody,
  type RequestBody,
  type ProtocolDefinition,
  type Protocol,
  type RouteOptions,
} from "../protocol.ts";
import { Toggle, Variant, createToggleFormat, toVariant, writeToggles } from "../toggles.ts";
import {
  FIELD_DESCRIPTIONS,
  MAX_CONTEXT_PROPERTIES,
  NamedToggles,
  ContextQuery,
  errorResponses,
  NotModified,
} from "../schemas.ts";
import { createStreamBody, registerStreams } from "../stream-routes.ts";
import { registerUsage } from "../usage-routes.ts";

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
const FRONTEND_STREAM_BODY = createStreamBody(
  Type.Object(FIELDS, CONTEXT),
  "frontendStreamRequestSchema",
);

/** A toggle and its variant for a context. */
const FrontendToggle = Type.Object(
  {
    ...Toggle.properties,
    variant: Type.Object(
      {
        ...Variant.properties,
        feature_enabled: Type.Boolean({ description: "Whether the flag is on" }),
        featureEnabled: Type.Boolean({
          description: "The same, with the spelling that some clients read",
        }),
      },
      { title: "frontendVariantSchema" },
    ),
  },
  { title: "frontendToggleSchema", description: "The flag and its variant for the context" },
);

/** The response to a request for flags. */
const FrontendToggleList = Type.Object(
  { toggles: Type.Array(FrontendToggle) },
  {
    title: "frontendToggleListSchema",
    description: "The flags and their variants for the context",
  },
);

/** Reads the body of a POST. */
const FRONTEND_BODY: RequestBody = createRequestBody(
  FrontendBody,
  ({ context, toggles, ...fields }) => ({ sent: readContext(context ?? fields), toggles }),
);

/** Serializes the toggles of the frontend API: a variant repeats whether its toggle is on. */
const frontendFormat: FlagFormat = createToggleFormat(
  ({ name, enabled, impressionData, variant }) => ({
    name,
    enabled,
    impressionData,
    // NOTE: the upstream sends both spellings; older and newer clients read one or the other.
    variant: { ...toVariant(variant), feature_enabled: enabled, featureEnabled: enabled },
  }),
);

/** The frontend API of Unleash and Edge. As in the upstream, caches revalidate each response. */
export const FRONTEND: ProtocolDefinition = {
  // The second one is its previous path.
  paths: ["/api/frontend", "/api/proxy"],
  cacheControl: "no-cache",
  createFormat: () => frontendFormat,
  ignoresInvalidValues: true,
  fastPath: { body: FRONTEND_BODY },
  streamEvents: { kind: "frontend", write: writeToggles },
  register: registerFrontendRoutes,
};

/** Registers the frontend API, as the upstream and Edge provide it to client SDKs. */
function registerFrontendRoutes(app: TypedApp, options: RouteOptions): void {
  const { config, usageRules, protocol, allow, access, clientStreams } = options;
  const authenticate = allow("client");
  allowNoBody(app);
  registerFlagRoutes(app, {
    authenticate,
    protocol,
    body: FRONTEND_BODY,
    responseSchema: FrontendToggleList,
    tag: "Frontend API",
    enableAllEndpoint: config.enableAllEndpoint,
  });
  registerSingleToggle(app, authenticate, protocol);
  registerUsage(app, {
    authenticate: allow("client", "server"),
    ...usageRules,
  });
  registerStreams(app, {
    config,
    allow,
    protocol,
    access,
    clientStreams,
    body: FRONTEND_STREAM_BODY,
  });
}

function registerSingleToggle(
  app: TypedApp,
  authenticate: onRequestHookHandler,
  protocol: Protocol,
): void {
  const sendFlags = createFlagHandler(protocol);
  const onRequest = [authenticate];

  app.get("/features/:name", { onRequest, schema: describeGet() }, (request, reply) =>
    sendFlags(request, reply, {
      sent: parseQueryContext(request.url, protocol.definition),
      selection: { single: request.params.name },
    }),
  );
  app.post("/features/:name", { onRequest, schema: describePost() }, (request, reply) =>
    sendFlags(request, reply, {
      sent: FRONTEND_BODY.read(request.body).sent,
      selection: { single: request.params.name },
    }),
  );
}

const ToggleName = Type.Object({ name: Type.String({ description: "Name of the flag" }) });

function describeGet() {
  return {
    ...describe("Evaluates one toggle, on or off, for a context in the query"),
    querystring: ContextQuery,
    response: { 200: FrontendToggle, 304: NotModified, ...errorResponses(400, 401, 404, 503) },
  };
}

function describePost() {
  return {
    ...describe("Evaluates one toggle, on or off, for a context in the body"),
    body: FRONTEND_BODY.schema,
    response: {
      200: FrontendToggle,
      304: NotModified,
      ...errorResponses(400, 401, 404, 413, 415, 503),
    },
  };
}

function describe(summary: string) {
  return { summary, tags: ["Frontend API"], security: [{ clientKey: [] }], params: ToggleName };
}
