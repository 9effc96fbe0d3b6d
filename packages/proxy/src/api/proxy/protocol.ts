import type { Payload, SelectedVariant } from "flags-engine";
import type { FlagFormat } from "../../response/rendering.ts";
import type { ProtocolDefinition } from "../protocol.ts";
import { registerProxyRoutes } from "./routes.ts";
import { PROXY_BODY } from "./schemas.ts";

/** A toggle before it is serialized. */
interface ToggleState {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly variant: SelectedVariant | undefined;
}

/** A variant as client SDKs read it. */
interface ClientVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: Payload;
}

/** Serializes the toggles of `/proxy`, as browser and mobile SDKs read them. */
export const proxyFormat: FlagFormat = createToggleFormat(
  ({ name, enabled, variant, impressionData }) => ({
    name,
    enabled,
    variant: toVariant(variant),
    impressionData,
  }),
);

/** `/proxy`: the API of the Unleash proxy. */
export const PROXY: ProtocolDefinition = {
  paths: ["/proxy"],
  cacheControl: "public, max-age=2",
  createFormat: () => proxyFormat,
  body: PROXY_BODY,
  eventKind: "toggles",
  register: registerProxyRoutes,
};

/**
 * Creates the format of a list called `toggles`.
 *
 * @param toJson returns the object to write for a toggle, as JSON
 */
export function createToggleFormat(toJson: (toggle: ToggleState) => object): FlagFormat {
  return {
    prefix: '{"toggles":[',
    suffix: "]}",
    writeFlag: ({ name, impressionData }, { enabled, variant }) =>
      JSON.stringify(toJson({ name, enabled, impressionData, variant })),
    writeUnknownFlag: (name) =>
      JSON.stringify(toJson({ name, enabled: false, impressionData: false, variant: undefined })),
  };
}

/** NOTE: a variant may be called `disabled`; `enabled` distinguishes it from no variant at all. */
export function toVariant(variant: SelectedVariant | undefined): ClientVariant {
  if (variant === undefined) return { name: "disabled", enabled: false };

  const { name, payload } = variant;
  if (payload === undefined) return { name, enabled: true };
  return { name, enabled: true, payload: { type: payload.type, value: payload.value } };
}
