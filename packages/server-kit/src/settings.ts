// The entry `flags-server-kit/settings`: settings that programs set as options, on every JavaScript runtime. The entries for
// services, `flags-server-kit` and `flags-server-kit/command-line`, contain them too.

export {
  collectSecrets,
  ConfigError,
  resolveOptions,
  type Resolution,
} from "./config/resolve-options.ts";
export * from "./config/setting-kinds.ts";
export { nameSetting, SettingGroup, TELEMETRY_GROUP } from "./config/setting.ts";
export type { OptionsOf, ValuesOf } from "./config/setting.ts";
export { findUnknownOptions } from "./config/unknown-names.ts";
export { showText } from "./config/show-text.ts";
export { findWeakSecrets, MIN_PUBLIC_KEY_LENGTH } from "./config/weak-secrets.ts";
export { wrapLogger } from "./logging/wrap-logger.ts";
