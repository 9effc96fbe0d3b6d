// What needs no code of servers, so that it loads in a few milliseconds: settings, commands, and small functions for errors and JSON.

export { findLocalUrl } from "./cli/local-url.ts";
export { createProbe } from "./cli/create-probe.ts";
export { EXIT_FAILURE, EXIT_USAGE, SubcommandError } from "./cli/program.ts";
export type { Program, Subcommand } from "./cli/program.ts";
export { runCommandLine } from "./cli/run-command-line.ts";
export {
  baseUrlKind,
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  createListKind,
  createTextKind,
  createValueKind,
  headerValueKind,
  hostKind,
  hostsKind,
  InvalidValue,
  keysKind,
  pathKind,
  rejectLateAt,
  textKind,
  toHttpUrl,
  tokensKind,
  toTexts,
  tryDecode,
  urlKind,
} from "./config/setting-kinds.ts";
export type { ListKind, SettingKind } from "./config/setting-kinds.ts";
export { readSecretFile } from "./config/resolve-settings.ts";
export type { Environment } from "./config/resolve-settings.ts";
export { SettingGroup, variablesOf } from "./config/setting.ts";
export type { OptionsOf, Setting, ValuesOf } from "./config/setting.ts";
export { findNearest } from "./config/unknown-names.ts";
export type { SettingNames } from "./config/unknown-names.ts";
export { showAddress, showText } from "./config/show-text.ts";
export { TELEMETRY_GROUP, TELEMETRY_SETTINGS } from "./config/telemetry-settings.ts";
export { addressesKind, trustProxyKind } from "./config/trust-proxy.ts";
export { isLoopbackHost, isSecureUrl } from "./config/weak-secrets.ts";
export { createDirectory } from "./create-directory.ts";
export { codeOf, toErrorMessage } from "./errors.ts";
export { isRecord, tryParseJson } from "./json.ts";
export { LOG_LEVELS } from "./logging/logger.ts";
export type { CustomLogger } from "./logging/logger.ts";
export { rewordSchemaMessage } from "./schema-message.ts";
