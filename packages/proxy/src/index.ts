export { ConfigError } from "./config/config-error.ts";
export type { LogLevel } from "./config/config.ts";
export type {
  BootstrapOptions,
  CorsOptions,
  HttpOptions,
  ProxyOptions,
  ServerSideSdkOptions,
} from "./config/options.ts";
export { createApp } from "./create-app.ts";
export type { ContextEnricher, EnricherRequest } from "./extensions/enricher.ts";
export type { CustomLogger, Logger } from "./logging/logger.ts";
export { start } from "./start.ts";
export type { RunningProxy } from "./start.ts";
export { Strategy } from "flags-sdk";
export type {
  ApplicationUsage,
  Context,
  CustomStrategy,
  FeatureDefinitions,
  FeatureUsage,
  FlagSource,
  FlagSourceEvents,
  StorageProvider,
} from "flags-sdk";
