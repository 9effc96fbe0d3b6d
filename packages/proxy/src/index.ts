export { ConfigError } from "flags-server-kit";
export type { CustomLogger, Logger, LogLevel } from "flags-server-kit/neutral";
export {
  type Context,
  type Bootstrap,
  type CustomStrategy,
  type FeatureDefinitions,
  type FeatureUsage,
  type FlagSourceEvents,
  type OfrepBootstrap,
  type PageFlags,
  serializeForScript,
  type StorageProvider,
  Strategy,
  type UnleashClient,
} from "flags-sdk";
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
export type { EvaluateOptions, EvaluatePage } from "./core/pages/evaluate-page.ts";
export type { ContextEnricher, EnricherRequest } from "./core/context/enrichers.ts";
export { createApp, start } from "./start/start.ts";
export type { RunningProxy } from "./start/start.ts";
export type { ListenOptions, ProxyApp } from "./start/proxy-app.ts";
export type { FetchInfo } from "./fetch/fetch-info.ts";
export type { FlagSource } from "./upstream/flag-source.ts";
export type { ApplicationUsage } from "./upstream/usage/application-usage.ts";
