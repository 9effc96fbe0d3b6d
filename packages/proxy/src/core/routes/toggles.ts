// The toggles of `/proxy` and of the frontend API: their schemas, and how they are serialized.

import { toToggle, UNKNOWN_FLAG } from "flags-sdk/neutral";
import { writeEvent } from "flags-server-kit/neutral";
import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import type { FlagFormat } from "../response/rendering.ts";
import type { ResponseBody } from "../http/response-body.ts";

export const Payload = named("variantPayloadSchema", {
  type: Type.String({ description: "Type of the value, such as string or json" }),
  value: Type.String({ description: "The value as a string; JSON is encoded" }),
});

export const Variant = named("variantSchema", {
  name: Type.String(),
  enabled: Type.Boolean({ description: "False if the flag has no variant for the context" }),
  payload: Type.Optional(Payload),
});

export const Toggle = named("toggleSchema", {
  name: Type.String(),
  enabled: Type.Boolean(),
  variant: Variant,
  impressionData: Type.Boolean(),
});

/** @param toJson returns the object to write for a toggle; default: the toggle */
export function createToggleFormat(
  toJson: (toggle: ReturnType<typeof toToggle>) => object = (toggle) => toggle,
): FlagFormat {
  const write = (...flag: Parameters<typeof toToggle>): string =>
    JSON.stringify(toJson(toToggle(...flag)));
  return {
    prefix: '{"toggles":[',
    suffix: "]}",
    writeFlag: write,
    writeUnknownFlag: (name) =>
      write({ name, ...UNKNOWN_FLAG }, { enabled: false, variant: undefined }),
  };
}

export function writeToggles(body: ResponseBody): string {
  return writeEvent({ name: "toggles", id: body.entityTag, data: body.toBuffer().toString() });
}
