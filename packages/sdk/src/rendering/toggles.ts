// The toggles of `/proxy`, as browser and mobile SDKs read them.

import type { CompiledFlag, Outcome, Payload, SelectedVariant } from "flags-engine";

export type ToggleFlag = Pick<CompiledFlag, "impressionData" | "name">;

export const UNKNOWN_FLAG: Omit<ToggleFlag, "name"> = { impressionData: false };

export type ToggleOutcome = Pick<Outcome, "enabled" | "variant">;

/** A variant as client SDKs read it. */
export interface ClientVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: Payload;
}

/** A flag and its variant for one context, as client SDKs read it. */
export interface Toggle {
  readonly name: string;
  readonly enabled: boolean;
  readonly variant: ClientVariant;
  readonly impressionData: boolean;
}

export function toToggle(
  { name, impressionData }: ToggleFlag,
  { enabled, variant }: ToggleOutcome,
): Toggle {
  return { name, enabled, variant: toClientVariant(variant), impressionData };
}

/** NOTE: a variant may be called `disabled`; `enabled` distinguishes it from no variant at all. */
export function toClientVariant(variant: SelectedVariant | undefined): ClientVariant {
  if (variant === undefined) return { name: "disabled", enabled: false };

  const { name, payload } = variant;
  if (payload === undefined) return { name, enabled: true };
  return { name, enabled: true, payload: { type: payload.type, value: payload.value } };
}
