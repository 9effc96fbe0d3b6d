import { randomUUID } from "node:crypto";
import type { StrategyError } from "flags-engine";
import { createBootstrap } from "./bootstrap/bootstrap.ts";
import { dataSource, fileSource, urlSource } from "./bootstrap/bootstrap-source.ts";
import type { BootstrapSource } from "./bootstrap/bootstrap-source.ts";
import { toFaultSink } from "./events/client-emitter.ts";
import type { Emitter } from "./events/emitter.ts";
import type { FaultSink } from "./events/fault-log.ts";
import type { FlagsClientEvents } from "./events/flags-client-events.ts";
import type { FeatureDefinitions } from "./flag-source.ts";
import type { Identity } from "./identity.ts";
import { BulkSupport, environmentOfToken } from "./metrics/bulk-support.ts";
import { FairBudget } from "./metrics/fair-budget.ts";
import { ImpactMetricsBuffer } from "./metrics/impact-metrics.ts";
import { USAGE_LIMITS } from "./metrics/limits.ts";
import { createRegistration } from "./metrics/registration.ts";
import { toRegistrationBody } from "./metrics/registration-body.ts";
import { RegistrationBuffer } from "./metrics/registration-buffer.ts";
import { SupplementReporter } from "./metrics/supplement-reporter.ts";
import { UsageDrops } from "./metrics/usage-drops.ts";
import { UsageReporter } from "./metrics/usage-reporter.ts";
import { UsageStore } from "./metrics/usage-store.ts";
import type { BootstrapSettings, Settings } from "./options/settings.ts";
import type { PersistentTask } from "./schedule/persistent-task.ts";
import { SlicedWork } from "./schedule/sliced-work.ts";
import { DefinitionsStorage } from "./storage/definitions-storage.ts";
import { MemoryStorageProvider } from "./storage/memory-storage-provider.ts";
import { compile } from "./sync/compile.ts";
import { BeforeSwapHooks } from "./sync/before-swap-hooks.ts";
import { FlagFeed } from "./sync/flag-feed.ts";
import { FlagState } from "./sync/flag-state.ts";
import { createSynchronizer } from "./sync/create-synchronizer.ts";
import type { Synchronizer } from "./sync/synchronizer.ts";
import { UnleashSynchronizer } from "./sync/unleash-client.ts";
import { createConnections } from "./transport/connections.ts";
import { toHeaderValue } from "./transport/header-map.ts";
import { HttpClient } from "./transport/http-client.ts";
import { UpstreamApi } from "./transport/upstream-api.ts";
import { credentialHeaders, type CredentialSettings } from "./transport/wire-headers.ts";

/** What a client is made of. */
export interface ClientParts {
  readonly http: HttpClient;
  readonly beforeSwapHooks: BeforeSwapHooks;
  readonly state: FlagState;
  readonly feed: FlagFeed;
  readonly storage: DefinitionsStorage;
  readonly synchronizer: Synchronizer;
  readonly bootstrap: PersistentTask | undefined;
  readonly usage: UsageStore;
  readonly impactMetrics: ImpactMetricsBuffer;
  readonly registrations: RegistrationBuffer;
  readonly drops: UsageDrops;
  /** Absent when usage is not reported. */
  readonly reporter: UsageReporter | undefined;
  readonly registration: PersistentTask | undefined;
}

/** What the parts share. */
interface Common {
  readonly settings: Settings;
  readonly identity: Identity;
  readonly emitter: Emitter<FlagsClientEvents>;
  readonly faults: FaultSink;
  readonly http: HttpClient;
  readonly work: SlicedWork;
  readonly api: UpstreamApi;
}

const now = Date.now;
const random = Math.random;

/** Makes the parts of a client and connects them; nothing runs yet. */
export function createParts(settings: Settings, emitter: Emitter<FlagsClientEvents>): ClientParts {
  const faults = toFaultSink(emitter);
  const { appName, instanceId, connection, synchronization, unleash } = settings;
  const identity = { appName, instanceId, connectionId: randomUUID() };
  const { timeoutMs } = connection;
  const http = new HttpClient({ connections: createConnections(connection), timeoutMs });
  const work = new SlicedWork();
  const api = createApi(settings, identity, { http, work });
  const common = { settings, identity, emitter, faults, http, work, api };
  const provider = settings.storageProvider ?? new MemoryStorageProvider();
  const storage = new DefinitionsStorage(provider, appName, faults.warn);
  const beforeSwapHooks = new BeforeSwapHooks();
  const state = createState(common, beforeSwapHooks);
  const save = (kept: FeatureDefinitions): void => storage.save(kept);
  const feed = new FlagFeed({ state, emitter, now, save, work });
  const { filters, refreshIntervalMs: intervalMs } = settings;
  const sync = { api, sink: feed, filters, intervalMs, faults, random };
  const synchronizer =
    unleash === undefined
      ? createSynchronizer(synchronization, sync)
      : new UnleashSynchronizer({ unleash, feed, faults });
  const bootstrap = bootstrapOf(common, state, feed);
  const sources = { http, beforeSwapHooks, state, feed, storage, synchronizer, bootstrap };
  return { ...sources, ...createMetrics(common, state) };
}

function createApi(
  settings: Settings,
  identity: Identity,
  means: Pick<Common, "http" | "work">,
): UpstreamApi {
  const { url, filters, refreshIntervalMs, metricsIntervalMs } = settings;
  const credentials = (): ReturnType<typeof credentialHeaders> =>
    credentialHeaders(settings.credentials);
  const intervals = { refreshIntervalMs, metricsIntervalMs };
  return new UpstreamApi({ ...means, url, identity, filters, credentials, now, ...intervals });
}

function createState(
  { settings, emitter, faults }: Common,
  beforeSwapHooks: BeforeSwapHooks,
): FlagState {
  const { strategies, bootstrapOverrides } = settings;
  const onStrategyError = (error: StrategyError): void => emitter.emit("strategyError", error);
  const fixed = { strategies, now, random, onStrategyError, warn: faults.warn };
  return new FlagState({
    bootstrapOverrides,
    compile: (checked, former) =>
      beforeSwapHooks.after(compile(checked, { ...fixed, former }), former),
  });
}

function bootstrapOf(common: Common, state: FlagState, feed: FlagFeed): PersistentTask | undefined {
  const { settings, faults } = common;
  if (settings.bootstrap === undefined) return undefined;
  return createBootstrap({
    source: sourceOf(settings.bootstrap, common),
    accept: (document, signal) => feed.acceptFrom("bootstrap", document, signal),
    isWanted: () => !state.outranks("bootstrap"),
    intervalMs: settings.refreshIntervalMs,
    faults,
    random,
  });
}

function sourceOf(bootstrap: BootstrapSettings, { http, work, identity }: Common): BootstrapSource {
  if (bootstrap.kind === "data") return dataSource(bootstrap.features, bootstrap.segments);
  if (bootstrap.kind === "file") return fileSource(bootstrap.path);
  const { url, headers } = bootstrap;
  const userAgent = toHeaderValue(identity.appName);
  return urlSource({ http, work, url, headers, userAgent, now });
}

type MetricsParts = Pick<
  ClientParts,
  "usage" | "impactMetrics" | "registrations" | "drops" | "reporter" | "registration"
>;

function createMetrics(common: Common, state: FlagState): MetricsParts {
  const { settings, identity, emitter, faults, api } = common;
  const { bytes, impactSeries, registrations: perQuota } = USAGE_LIMITS;
  const memory = new FairBudget(bytes);
  const drops = new UsageDrops((kind, count) => emitter.emit("usageDropped", kind, count));
  const usage = new UsageStore({
    now,
    memory,
    // Before the first flags have arrived, nothing can be told about a name.
    isKnownFeature: (name) => state.snapshot === undefined || state.snapshot.indexOf(name) >= 0,
    onUnknownDropped: (count) => drops.note("unknown_flag", count),
  });
  const impactMetrics = new ImpactMetricsBuffer(memory, impactSeries);
  const registrations = new RegistrationBuffer(memory, perQuota, now);
  const buffers = { usage, impactMetrics, registrations, drops };
  if (!settings.isMetricsEnabled) {
    return { ...buffers, reporter: undefined, registration: undefined };
  }
  const bulk = new BulkSupport(environmentOfToken(tokenOf(settings.credentials)), now);
  const supplements = new SupplementReporter({ ...buffers, api, bulk, identity, now });
  const reporter = new UsageReporter({
    api,
    store: usage,
    bulk,
    sendSupplements: (signal) => supplements.send(signal),
    drops,
    identity,
    intervalMs: settings.metricsIntervalMs,
    jitterMs: settings.metricsJitterMs,
    onSent: (body) => emitter.emit("sent", body),
    faults,
    now,
    random,
  });
  return { ...buffers, reporter, registration: registrationOf(common) };
}

/** The token that requests carry; undefined if a function may replace it each time. */
function tokenOf({ token, customHeaders, customHeadersFunction }: CredentialSettings) {
  if (customHeadersFunction !== undefined) return undefined;
  return customHeaders["authorization"] ?? token;
}

function registrationOf(common: Common): PersistentTask | undefined {
  const { settings, identity, emitter, faults, api } = common;
  if (!settings.isRegistrationEnabled) return undefined;
  const body = toRegistrationBody({
    identity,
    customStrategies: settings.strategies.map(({ name }) => name),
    startedAtMs: now(),
    metricsIntervalMs: settings.metricsIntervalMs,
  });
  const onRegistered = (): void => emitter.emit("registered", body);
  return createRegistration({ api, body, onRegistered, faults, random });
}
