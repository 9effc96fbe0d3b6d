export { runProgram } from "./command/run-program.ts";
export type { Run, RunnableConfig, RunningServer } from "./command/run-program.ts";
export { runWorker } from "./command/run-worker.ts";
export type { WorkerRun } from "./command/run-worker.ts";
export { StartError } from "./command/start-error.ts";
export { ConfigError } from "./config/config-error.ts";
export { readEnvironment } from "./config/env.ts";
export type { Environment } from "./config/environment.ts";
export { headerValueKind, keysKind, tokensKind } from "./config/kinds/header-value.ts";
export { hostKind } from "./config/kinds/host.ts";
export { createTextKind, createValueKind, InvalidValue } from "./config/kinds/kind.ts";
export type { Kind } from "./config/kinds/kind.ts";
export { createListKind, toTexts } from "./config/kinds/list.ts";
export {
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  textKind,
} from "./config/kinds/scalar.ts";
export { trustProxyKind } from "./config/kinds/trust-proxy.ts";
export type { TrustProxy } from "./config/kinds/trust-proxy.ts";
export { isRecord } from "./config/read-option.ts";
export { resolveSettings } from "./config/resolve.ts";
export type { Resolution, Sources } from "./config/resolve.ts";
export { collectSecrets } from "./config/secrets.ts";
export { defineSetting, describeFallback, nameSetting } from "./config/setting.ts";
export type { Setting, SettingsTable, ValueOfSetting, ValuesOf } from "./config/setting.ts";
export { showAddress } from "./config/show-text.ts";
export { findUnknownOptions, findUnknownVariables } from "./config/unknown-names.ts";
export {
  findWeakSecrets,
  isLoopbackHost,
  MIN_LOOPBACK_SECRET_LENGTH,
  MIN_PUBLIC_KEY_LENGTH,
  MIN_SECRET_LENGTH,
  secretPartOf,
} from "./config/weak-secrets.ts";
export { createLogger } from "./logging/create-logger.ts";
export type { LogDestination, LoggerSettings } from "./logging/create-logger.ts";
export { LOG_LEVELS } from "./logging/log-level.ts";
export type { LogLevel } from "./logging/log-level.ts";
export type { CustomLogger, Logger } from "./logging/logger.ts";
export { REDACTED } from "./logging/redact.ts";
export { wrapLogger } from "./logging/wrap-logger.ts";
export type { Program, Renaming } from "./program.ts";
export { listen } from "./server/listen.ts";
export type { OpenPort, Place } from "./server/listen.ts";
export {
  defaultMaxConnections,
  explainUnreachable,
  readOpenFileLimit,
  streamsWithin,
} from "./server/connection-limits.ts";
export type { OpenFiles } from "./server/connection-limits.ts";
export type { Closable } from "./server/shut-down.ts";
