// The main entry: what a service needs to start, besides settings and commands (`flags-server-kit/command-line`) and servers
// (`flags-server-kit/http`).

export { runWorker, serveUntilSignal, WORKER_STOP_TIMEOUT_MS } from "./cli/run-program.ts";
export type { RunningServer } from "./cli/run-program.ts";
export type { SubcommandResult } from "./cli/program.ts";
export { explainStartFailure, StartError } from "./cli/start-failure.ts";
export { explainInvalidPeriod, loadAuthorities, loadCertificate } from "./config/certificates.ts";
export type { Certificate, FileProblems, NamedFile } from "./config/certificates.ts";
export { explainUnreadable } from "./config/read-text-file.ts";
export { collectSecrets, ConfigError } from "./config/resolve-options.ts";
export type { Resolution } from "./config/resolve-options.ts";
export { readEnvironment, resolveSettings } from "./config/resolve-settings.ts";
export { describeDefault, fileVariableOf, nameSetting } from "./config/setting.ts";
export { showSettings } from "./config/show-settings.ts";
export { toTelemetryConfig } from "./config/telemetry-config.ts";
export type { TelemetryConfig } from "./config/telemetry-config.ts";
export type { TrustProxy } from "./config/trust-proxy.ts";
export type { UnknownVariable } from "./config/unknown-names.ts";
export { findUnknownOptions, findUnknownVariables } from "./config/unknown-names.ts";
export {
  findWeakSecrets,
  MIN_LOOPBACK_SECRET_LENGTH,
  MIN_PUBLIC_KEY_LENGTH,
  MIN_SECRET_LENGTH,
  secretPartOf,
} from "./config/weak-secrets.ts";
export {
  defaultMaxConnections,
  explainUnreachableLimit,
  readOpenFileLimit,
  shareStreams,
  streamsWithin,
} from "./http/connection-limits.ts";
export type { OpenFiles } from "./http/connection-limits.ts";
export { DirectoryInUseError, lockDirectory } from "./directory-lock.ts";
export type { DirectoryLock } from "./directory-lock.ts";
export { describeListening, openPort, tryPort } from "./http/listen.ts";
export type { ListenAddress, OpenPort } from "./http/listen.ts";
export type { Closable } from "./http/shut-down.ts";
export { createLogger } from "./logging/create-logger.ts";
export { LogTap } from "./logging/log-tap.ts";
export { wrapLogger } from "./logging/wrap-logger.ts";
