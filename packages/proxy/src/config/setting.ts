import { defineSetting as define, type Setting } from "flags-server-kit";
import type { OptionName } from "./options.ts";

/** Headings under which settings are shown, in order. */
export const SETTING_GROUPS = [
  "Required",
  "Listening",
  "Upstream",
  "Clients",
  "Endpoints",
  "Push",
  "CORS",
  "Logging",
  "Extensions",
  "Experimental",
] as const;
type SettingGroup = (typeof SETTING_GROUPS)[number];

/** What the proxy knows of the names that others may choose freely. */
interface ProxyNames {
  readonly group: SettingGroup;
  readonly option?: OptionName;
}

/** Keeps the exact type of a setting's value and default. */
export function defineSetting<T, const Default extends T | undefined>(
  setting: Setting<T, Default> & ProxyNames,
): Setting<T, Default> {
  return define(setting);
}
