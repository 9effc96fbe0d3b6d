export { ConfigError } from "flags-server-kit";
export type { CustomLogger, Logger, LogLevel } from "flags-server-kit";
export type {
  BootstrapOptions,
  CorsOptions,
  HttpOptions,
  ManagementOptions,
  ProxyOptions,
  PushOptions,
  ServerSideSdkOptions,
  TlsOptions,
  UpstreamKeysOptions,
} from "./config/options.ts";
export type { ContextEnricher, EnricherRequest } from "./extensions.ts";
export { createApp, start } from "./start.ts";
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
  UnleashClient,
} from "flags-sdk";
