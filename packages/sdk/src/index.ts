// The client.
export { createFlagsClient, FlagsClient } from "./client/flags-client.ts";
export type { Fallback } from "./evaluation/evaluator.ts";
export { Strategy } from "./evaluation/strategy.ts";
export type { FallbackVariant, Variant } from "./evaluation/variant.ts";
export type { DropKind, FlagsClientEvents, Impression } from "./events.ts";
export type {
  ApplicationRegistration,
  ApplicationUsage,
  BeforeChangeHook,
  ConnectVia,
  FeatureDefinitions,
  FeatureUsage,
  FlagFall,
  FlagOrigin,
  FlagSource,
  FlagSourceEvents,
  ImpactMetric,
  ImpactSample,
} from "./flag-source.ts";
export type {
  BootstrapOptions,
  FlagsClientOptions,
  HttpOptions,
  Tag,
  UsageSpoolOptions,
} from "./options/flags-client-options.ts";
export { MAX_LEASE_MS } from "./sharing/sharing-timing.ts";
export type { SharingRole, SharingStatus } from "./sharing/shared-synchronizer.ts";
export { FileStorageProvider, MemoryStorageProvider } from "./storage/storage-provider.ts";
export type { StorageProvider } from "./storage/storage-provider.ts";
export type { Synchronization } from "./sync/synchronizer.ts";
export { isUnleashClient } from "./sync/unleash-synchronizer.ts";
export type { UnleashClient } from "./sync/unleash-synchronizer.ts";
export type { CustomHeadersFunction } from "./transport/headers.ts";
export type { ObservedRequest, RequestObserver } from "./transport/http-client.ts";
export { UpstreamError } from "./transport/upstream-error.ts";
export type { UpstreamErrorCode } from "./transport/upstream-error.ts";
export type { MetricsBody, RegistrationBody } from "./transport/wire-bodies.ts";
export type { UsageSpoolState } from "./usage/spool/usage-spool.ts";
export type {
  Context,
  CustomStrategy,
  Explanation,
  Payload,
  Snapshot,
  StrategyError,
} from "flags-engine";

// Other sources of flags, and sharing one client between several.
export { DocumentFlags } from "./client/document-flags.ts";
export type { DocumentFlagsOptions } from "./client/document-flags.ts";
export { FlagReplica, toSyncStatus } from "./client/flag-replica.ts";
export type {
  ConfirmedFlags,
  FlagReplicaOptions,
  FlagUpdate,
  SyncStatus,
} from "./client/flag-replica.ts";
export type {
  FlagExchange,
  PublishedFlags,
  SharedFlags,
  SharedVersion,
  SharingRequest,
  SharingState,
} from "./sharing/flag-exchange.ts";

// Parts of the client that flags-proxy also uses.
export { inspectUpstream } from "./client/inspect-upstream.ts";
export type { ClockOffset, UpstreamInspection } from "./client/inspect-upstream.ts";
export { TokenValidator } from "./client/token-validator.ts";
export type { ValidatedToken } from "./client/token-validator.ts";
export { describeCount } from "./describe-count.ts";
export { generateInstanceId, HOST_NAME } from "./identity.ts";
export { TimeSlicer } from "./scheduling/time-slicer.ts";
export { deleteAbandoned, replaceFile } from "./storage/durable-file.ts";
export { createConnections } from "./transport/connections.ts";
export type { Connections } from "./transport/connections.ts";
export { abortable, Deadline } from "./transport/deadline.ts";
export { AGE_HEADER, writeAge, writeAgeComment } from "./transport/confirmation.ts";
export { HttpClient } from "./transport/http-client.ts";
export { readJson } from "./transport/read-json.ts";
export { describeCause, describeUrl } from "./transport/upstream-error.ts";
export { USAGE_LIMITS } from "./usage/usage-limits.ts";
export type { UsageLimits } from "./usage/usage-limits.ts";
