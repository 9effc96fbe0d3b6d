export type { BootstrapOptions } from "./bootstrap/bootstrap-options.ts";
export type { Fallback } from "./evaluation/evaluator.ts";
export type { FallbackVariant, Variant } from "./evaluation/variant.ts";
export type { FlagsClientEvents, Impression } from "./events/flags-client-events.ts";
export type {
  ApplicationUsage,
  FeatureDefinitions,
  FeatureUsage,
  FlagSource,
  FlagSourceEvents,
  BeforeSwapHook,
} from "./flag-source.ts";
export { createFlagsClient, FlagsClient } from "./flags-client.ts";
export type { ImpactMetric, ImpactSample } from "./metrics/impact-metrics.ts";
export { USAGE_LIMITS } from "./metrics/limits.ts";
export type { UsageLimits } from "./metrics/limits.ts";
export type { MetricsBody } from "./metrics/metrics-body.ts";
export type { ApplicationRegistration, ConnectVia } from "./metrics/registration-buffer.ts";
export type { DropKind } from "./metrics/usage-drops.ts";
export type { RegistrationBody } from "./metrics/registration-body.ts";
export type { FlagsClientOptions, HttpOptions, Tag } from "./options/flags-client-options.ts";
export type { Synchronization } from "./sync/synchronizer.ts";
export { isUnleashClient } from "./sync/unleash-client.ts";
export type { UnleashClient } from "./sync/unleash-client.ts";
export { FlagReplica } from "./replica/flag-replica.ts";
export type { FlagReplicaOptions, FlagUpdate, SyncTimestamps } from "./replica/flag-replica.ts";
export { FileStorageProvider } from "./storage/file-storage-provider.ts";
export { MemoryStorageProvider } from "./storage/memory-storage-provider.ts";
export type { StorageProvider } from "./storage/storage-provider.ts";
export { Strategy } from "./strategy.ts";
export { UpstreamError } from "./transport/upstream-error.ts";
export type { UpstreamErrorCode } from "./transport/upstream-error.ts";
export type { CustomHeadersFunction } from "./transport/wire-headers.ts";
export type { Context, CustomStrategy, Payload, Snapshot, StrategyError } from "flags-engine";
