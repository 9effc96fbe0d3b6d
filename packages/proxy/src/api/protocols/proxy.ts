import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { readContext } from "../../context/sent-context.ts";
import type { FlagFormat } from "../../response/rendering.ts";
import { registerFlagRoutes } from "../flag-routes.ts";
import {
  type ProtocolDefinition,
  type RequestBody,
  createRequestBody,
  type RouteOptions,
} from "../protocol.ts";
import { EvaluationContext, NamedToggles } from "../schemas.ts";
import { createStreamBody, registerStreams } from "../stream-routes.ts";
import { createToggleFormat, toVariant, writeToggles, Toggle } from "../toggles.ts";
import { registerUsage } from "../usage-routes.ts";
import { registerExplanations } from "../explain/routes.ts";

/** The body of a request for flags. */
const EvaluationBody = Type.Object(
  { toggles: NamedToggles, context: EvaluationContext },
  { title: "evaluationRequestSchema" },
);

/** The response to a request for flags. */
const ToggleList = Type.Object(
  { toggles: Type.Array(Toggle) },
  { title: "toggleListSchema", description: "The flags and their variants for the context" },
);

/** The body of a request for a stream. */
const STREAM_BODY = createStreamBody(EvaluationContext, "streamRequestSchema");

/** Reads the body of a POST: the context is under `context`. */
const PROXY_BODY: RequestBody = createRequestBody(EvaluationBody, ({ context, toggles }) => ({
  sent: readContext(context),
  toggles,
}));

/** Serializes the toggles of `/proxy`, as browser and mobile SDKs read them. */
export const proxyFormat: FlagFormat = createToggleFormat(
  ({ name, enabled, variant, impressionData }) => ({
    name,
    enabled,
    variant: toVariant(variant),
    impressionData,
  }),
);

/** Also the path of streams that other protocols refer to. */
export const PROXY_PATH = "/proxy";

/** `/proxy`: the API of the Unleash proxy. */
export const PROXY: ProtocolDefinition = {
  paths: [PROXY_PATH],
  cacheControl: "public, max-age=2",
  createFormat: () => proxyFormat,
  fastPath: { body: PROXY_BODY },
  streamEvents: { kind: "toggles", write: writeToggles },
  register: registerProxyRoutes,
};

/** Registers everything under `/proxy` apart from definitions and monitoring. */
function registerProxyRoutes(app: TypedApp, options: RouteOptions): void {
  const { config, usageRules, protocol, allow, access, clientStreams } = options;
  registerFlagRoutes(app, {
    authenticate: allow("client"),
    protocol,
    body: PROXY_BODY,
    responseSchema: ToggleList,
    tag: "Evaluation",
    enableAllEndpoint: config.enableAllEndpoint,
  });
  registerExplanations(app, {
    authenticate: allow("client", "server"),
    contextRules: protocol.contextRules,
    isEnabled: config.explainEnabled,
  });
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
    body: STREAM_BODY,
  });
}
