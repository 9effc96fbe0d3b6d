// The toggles of `/proxy` and of the frontend API: their schemas, and how they are serialized.

import type { Outcome, Payload as EnginePayload, SelectedVariant } from "flags-engine";
import { writeEvent } from "flags-server-kit/neutral";
import { Type } from "typebox";
import type { FlagFormat } from "../response/rendering.ts";
import type { ResponseBody } from "../http/response-body.ts";

/** Data that belongs to a variant. */
export const Payload = Type.Object(
  {
    type: Type.String({ description: "Type of the value, such as string or json" }),
    value: Type.String({ description: "The value as a string; JSON is encoded" }),
  },
  { title: "variantPayloadSchema" },
);

/** The variant of a toggle. */
export const Variant = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean({ description: "False if the flag has no variant for the context" }),
    payload: Type.Optional(Payload),
  },
  { title: "variantSchema" },
);

/** A toggle and its variant for a context. */
export const Toggle = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean(),
    variant: Variant,
    impressionData: Type.Boolean(),
  },
  { title: "toggleSchema" },
);

/** What clients are told about a flag that does not exist, besides its name. */
const UNKNOWN = { impressionData: false };

type ToggleFlag = { readonly name: string } & Readonly<typeof UNKNOWN>;

type ToggleOutcome = Pick<Outcome, "enabled" | "variant">;

/** A variant as client SDKs read it. */
export interface ClientVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: EnginePayload;
}

/**
 * Creates the format of a list called `toggles`.
 *
 * @param toJson returns the object to write for a toggle, as JSON
 */
export function createToggleFormat(
  toJson: (flag: ToggleFlag, outcome: ToggleOutcome) => object,
): FlagFormat {
  return {
    prefix: '{"toggles":[',
    suffix: "]}",
    writeFlag: (flag, outcome) => JSON.stringify(toJson(flag, outcome)),
    writeUnknownFlag: (name) =>
      JSON.stringify(toJson({ name, ...UNKNOWN }, { enabled: false, variant: undefined })),
  };
}

/** NOTE: a variant may be called `disabled`; `enabled` distinguishes it from no variant at all. */
export function toVariant(variant: SelectedVariant | undefined): ClientVariant {
  if (variant === undefined) return { name: "disabled", enabled: false };

  const { name, payload } = variant;
  if (payload === undefined) return { name, enabled: true };
  return { name, enabled: true, payload: { type: payload.type, value: payload.value } };
}

/** Writes toggles as the event of a stream. */
export function writeToggles(body: ResponseBody): string {
  return writeEvent({ name: "toggles", id: body.entityTag, data: body.toBuffer().toString() });
}
