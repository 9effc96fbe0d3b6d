// The entry `flags-server-kit/command-line`: settings and commands, without the code of servers, so that it loads in a few
// milliseconds.

export { findLocalUrl } from "./cli/local-url.ts";
export { createProbe } from "./cli/create-probe.ts";
export { EXIT_FAILURE, EXIT_USAGE, SubcommandError } from "./cli/program.ts";
export type { Program, Subcommand } from "./cli/program.ts";
export { formatFindings, formatSection } from "./cli/report.ts";
export type { ReportRow } from "./cli/report.ts";
export { runCommandLine } from "./cli/run-command-line.ts";
export * from "./config/setting-kinds.ts";
export { hostKind, hostsKind } from "./config/host-kinds.ts";
export { readSecretFile } from "./config/resolve-settings.ts";
export type { Environment } from "./config/resolve-options.ts";
export { SettingGroup, TELEMETRY_GROUP, variablesOf } from "./config/setting.ts";
export type { OptionsOf, Setting, ValuesOf } from "./config/setting.ts";
export { findNearest } from "./config/unknown-names.ts";
export type { SettingNames } from "./config/unknown-names.ts";
export { showAddress, showText } from "./config/show-text.ts";
export { TELEMETRY_SETTINGS } from "./config/telemetry-settings.ts";
export { addressesKind, NAMED_RANGES, trustProxyKind } from "./config/trust-proxy.ts";
export { isLoopbackHost, isSecureUrl } from "./config/loopback.ts";
export { createDirectory } from "./create-directory.ts";
export { explainDiskFailure } from "./explain-disk-failure.ts";
