import { type OptionsOf, TELEMETRY_SETTINGS, type ValuesOf } from "flags-server-kit/command-line";
import { CLIENTS_SETTINGS } from "./settings/clients.ts";
import { ENDPOINTS_SETTINGS } from "./settings/endpoints.ts";
import { EXTENSIONS_SETTINGS } from "./settings/extensions.ts";
import { LISTENING_SETTINGS } from "./settings/listening.ts";
import { LOGGING_SETTINGS } from "./settings/logging.ts";
import { REQUIRED_SETTINGS } from "./settings/required.ts";
import { STORE_SETTINGS } from "./settings/store.ts";
import { UPSTREAM_SETTINGS } from "./settings/upstream.ts";

/**
 * All settings of the proxy, in the order in which they are documented.
 *
 * To add one, add an entry in the folder settings/. Its `kind` reads and checks values. The option in `ProxyOptions`, the
 * member of `ProxyConfig`, `--help`, suggestions for misspelt names and, with `node scripts/check-docs.mjs --write`,
 * docs/reference/configuration.md follow from the entry. test/config-settings.test.ts tests it by its kind, or requires
 * examples. scripts/api-report.test.ts says how to record a new option in api.txt.
 *
 * Rules that involve several settings are in the check-….ts files next to this one.
 */
export const SETTINGS = {
  ...REQUIRED_SETTINGS,
  ...LISTENING_SETTINGS,
  ...UPSTREAM_SETTINGS,
  ...STORE_SETTINGS,
  ...CLIENTS_SETTINGS,
  ...ENDPOINTS_SETTINGS,
  ...LOGGING_SETTINGS,
  ...TELEMETRY_SETTINGS,
  ...EXTENSIONS_SETTINGS,
};

export type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

/** The values of all settings. An invalid value is replaced by the default. */
export type Values = ValuesOf<Settings>;

export type OptionTypes = OptionsOf<Settings>;
