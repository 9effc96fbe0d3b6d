import type { Payload, SelectedVariant } from "flags-engine";

/** A variant as client SDKs read it. */
export interface ClientVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: Payload;
}

/** NOTE: a variant may itself be called `disabled`; `enabled` tells it from the lack of one. */
export function toVariant(variant: SelectedVariant | undefined): ClientVariant {
  if (variant === undefined) return { name: "disabled", enabled: false };

  const { name, payload } = variant;
  if (payload === undefined) return { name, enabled: true };
  return { name, enabled: true, payload: { type: payload.type, value: payload.value } };
}
