import type { SelectedVariant } from "flags-engine";
import type { Protocol } from "../../response/protocol.ts";
import { toVariant } from "../variant.ts";

interface Toggle {
  readonly name: string;
  readonly enabled: boolean;
  readonly variant: SelectedVariant | undefined;
  readonly impressionData: boolean;
}

/** The toggles of `/proxy`, as browser and mobile SDKs read them. */
export const proxyProtocol: Protocol = {
  prefix: '{"toggles":[',
  suffix: "]}",
  writeFlag: ({ name, impressionData }, { enabled, variant }) =>
    writeToggle({ name, enabled, variant, impressionData }),
  writeUnknownFlag: (name) =>
    writeToggle({ name, enabled: false, variant: undefined, impressionData: false }),
};

function writeToggle({ name, enabled, variant, impressionData }: Toggle): string {
  return JSON.stringify({ name, enabled, variant: toVariant(variant), impressionData });
}
