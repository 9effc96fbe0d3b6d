import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import { readContext } from "../context/sent-context.ts";
import type { FlagFormat } from "../response/rendering.ts";
import { explainRoutes } from "../explain/routes.ts";
import { flagRoutes } from "../routes/flag-routes.ts";
import {
  createRequestBody,
  type FlagRequestBody,
  type ProtocolDefinition,
} from "../routes/protocol.ts";
import { EvaluationContext, NamedToggles } from "../routes/schemas.ts";
import { createStreamBody, streamRoutes } from "../routes/stream-routes.ts";
import { createToggleFormat, writeToggles, Toggle } from "../routes/toggles.ts";
import { usageRoutes } from "../routes/usage-routes.ts";

const EvaluationBody = named("evaluationRequestSchema", {
  toggles: NamedToggles,
  context: EvaluationContext,
});

const ToggleList = named(
  "toggleListSchema",
  { toggles: Type.Array(Toggle) },
  { description: "The flags and their variants for the context" },
);

const STREAM_BODY = createStreamBody(EvaluationContext, "streamRequestSchema");

const PROXY_BODY: FlagRequestBody = createRequestBody(EvaluationBody, ({ context, toggles }) => ({
  sent: readContext(context),
  toggles,
}));

export const proxyFormat: FlagFormat = createToggleFormat();

/** Also the path of streams that other protocols refer to. */
export const PROXY_PATH = "/proxy";

export const PROXY: ProtocolDefinition = {
  paths: [PROXY_PATH],
  cacheControl: "public, max-age=2",
  createFormat: () => proxyFormat,
  streamEvents: { kind: "toggles", write: writeToggles },
  createRoutes: (options) => [
    ...flagRoutes({
      ...options,
      body: PROXY_BODY,
      responseSchema: ToggleList,
      tag: "Evaluation",
    }),
    ...explainRoutes(options),
    ...usageRoutes(options),
    ...streamRoutes({ ...options, body: STREAM_BODY }),
  ],
};
