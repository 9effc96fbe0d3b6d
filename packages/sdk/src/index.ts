// The client.
export { createFlagsClient, FlagsClient } from "./client/flags-client.ts";
export type { Fallback } from "./evaluation/evaluator.ts";
export { Strategy } from "./evaluation/strategy.ts";
export type { FlagsClientEvents, Impression } from "./events.ts";
export type {
  BootstrapOptions,
  FlagsClientOptions,
  HttpOptions,
  Tag,
} from "./options/flags-client-options.ts";
export type { ClientContext } from "./rendering/client-context.ts";
export type { FlagValue, OfrepEvaluation } from "./rendering/ofrep.ts";
export type { Bootstrap, OfrepBootstrap, OfrepContext, PageFlags } from "./rendering/page-flags.ts";
export { serializeForScript } from "./rendering/serialize-for-script.ts";
export type { ClientVariant, Toggle } from "./rendering/toggles.ts";
export type { FallbackVariant, Variant } from "./rendering/variant.ts";
export { FileStorageProvider, MemoryStorageProvider } from "./storage/storage-provider.ts";
export type { StorageProvider } from "./storage/storage-provider.ts";
export type { Synchronization } from "./sync/synchronizer.ts";
export type { UnleashClient } from "./sync/unleash-synchronizer.ts";
export type {
  BeforeChangeHook,
  FeatureDefinitions,
  FeatureUsage,
  FlagFall,
  FlagOrigin,
  FlagSourceEvents,
  SyncedFlags,
} from "./synced-flags.ts";
export type { CustomHeadersFunction } from "./transport/headers.ts";
export { UpstreamError } from "./transport/upstream-error.ts";
export type { UpstreamErrorCode } from "./transport/upstream-error.ts";
export type { MetricsBody, RegistrationBody } from "./transport/wire-bodies.ts";
export type {
  Context,
  CustomStrategy,
  Explanation,
  Payload,
  Snapshot,
  StrategyError,
} from "flags-engine";
