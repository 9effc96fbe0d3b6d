import {
  defineSetting as define,
  type Setting,
  TELEMETRY_GROUP,
} from "flags-server-kit/command-line";

/** Headings of the groups of settings, in order. */
export const SETTING_GROUPS = [
  "Listening",
  "Console",
  "OpenID Connect",
  "Database",
  "Retention",
  "Tokens",
  "Logging",
  TELEMETRY_GROUP,
] as const;

interface AdminSetting {
  readonly group: (typeof SETTING_GROUPS)[number];
}

/** Defines a setting, keeping the exact types of its value and default. `--help` lists only these groups. */
export function defineSetting<T, const Default extends T | undefined>(
  setting: Setting<T, Default> & AdminSetting,
): Setting<T, Default> {
  return define(setting);
}
