import type { FlagFormat } from "../../response/rendering.ts";
import type { ProtocolDefinition } from "../protocol.ts";
import { createToggleFormat, toVariant, writeToggles } from "../toggles.ts";
import { registerFrontendRoutes } from "./routes.ts";
import { FRONTEND_BODY } from "./schemas.ts";

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
