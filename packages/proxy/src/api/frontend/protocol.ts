import type { SelectedVariant } from "flags-engine";
import type { Protocol } from "../../response/protocol.ts";
import { toVariant } from "../variant.ts";

/** Paths at which the frontend API is found: its own, and the former one. */
export const FRONTEND_PATHS = ["/api/frontend", "/api/proxy"] as const;

interface Toggle {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly variant: SelectedVariant | undefined;
}

/** The toggles of the frontend API: those of `/proxy`, whose variants know the toggle's state. */
export const frontendProtocol: Protocol = {
  prefix: '{"toggles":[',
  suffix: "]}",
  writeFlag: ({ name, impressionData }, { enabled, variant }) =>
    writeToggle({ name, enabled, impressionData, variant }),
  writeUnknownFlag: (name) =>
    writeToggle({ name, enabled: false, impressionData: false, variant: undefined }),
};

function writeToggle({ name, enabled, impressionData, variant }: Toggle): string {
  // NOTE: the upstream writes both spellings, and clients of every age read one or the other.
  const states = { feature_enabled: enabled, featureEnabled: enabled };
  return JSON.stringify({
    name,
    enabled,
    impressionData,
    variant: { ...toVariant(variant), ...states },
  });
}
