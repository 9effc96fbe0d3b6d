import type { OptionName } from "./options.ts";
import type { Kind } from "./kinds/kind.ts";

/** Headings under which settings are shown, in order. */
export const SETTING_GROUPS = [
  "Required",
  "Listening",
  "Upstream",
  "Clients",
  "Endpoints",
  "CORS",
  "Logging",
  "Extensions",
  "Experimental",
] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

/** One thing the proxy can be told: where it is read, what it may be and what it means. */
export interface Setting<T, Default extends T | undefined = T | undefined> {
  readonly group: SettingGroup;
  /** Name in code; undefined for what only the environment says. */
  readonly option?: OptionName;
  /** Variables of the environment, the first that is set counts. */
  readonly variables: readonly string[];
  readonly kind: Kind<T>;
  readonly fallback: Default;
  /** The default in words, where its value does not say enough. */
  readonly shownFallback?: string;
  readonly required?: boolean;
  /** The value must never be shown. */
  readonly secret?: boolean;
  /** What it does, in sentences. */
  readonly meaning: string;
}

/** Keeps the exact type of a setting's value and default. */
export function defineSetting<T, const Default extends T | undefined>(
  setting: Setting<T, Default>,
): Setting<T, Default> {
  return setting;
}

/** The default of a setting in words. */
export function describeFallback({ fallback, shownFallback }: Setting<unknown>): string {
  if (shownFallback !== undefined) return shownFallback;
  if (fallback === undefined) return "none";
  return Array.isArray(fallback) ? fallback.join(", ") : `${fallback as string | number | boolean}`;
}
