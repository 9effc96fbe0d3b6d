import type { FlagFormat } from "../../response/rendering.ts";
import type { ProtocolDefinition } from "../protocol.ts";
import { createToggleFormat, toVariant, writeToggles } from "../toggles.ts";
import { registerProxyRoutes } from "./routes.ts";
import { PROXY_BODY } from "./schemas.ts";

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
