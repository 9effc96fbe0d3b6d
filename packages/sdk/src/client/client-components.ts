import { toEventSink } from "../events.ts";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import { createIdentity } from "../identity.ts";
import type { Settings } from "../options/resolve-options.ts";
import { TimeSlicer } from "../scheduling/time-slicer.ts";
import { DefinitionsStorage } from "../storage/definitions-storage.ts";
import { MemoryStorageProvider } from "../storage/storage-provider.ts";
import { SharedSynchronizer } from "../sharing/shared-synchronizer.ts";
import type { SharingRole } from "../sharing/shared-synchronizer.ts";
import type { CreateSynchronizer } from "../sharing/upstream-run.ts";
import { Compiler } from "../sync/compiler.ts";
import { createSynchronizer } from "../sync/create-synchronizer.ts";
import { FlagState } from "../sync/flag-state.ts";
import { FlagUpdater } from "../sync/flag-updater.ts";
import { HoldBack } from "../sync/hold-back.ts";
import type { Synchronizer, SyncSink } from "../sync/synchronizer.ts";
import { UnleashSynchronizer } from "../sync/unleash-synchronizer.ts";
import { createConnections } from "../transport/connections.ts";
import type { EventSink } from "../transport/failure-log.ts";
import { toHeaderValue } from "../transport/headers.ts";
import { HttpClient } from "../transport/http-client.ts";
import type { RetryingTask } from "../transport/retrying-task.ts";
import { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import { ClientUsage } from "../usage/client-usage.ts";
import { hasName } from "../usage/known-names.ts";
import { createBootstrap } from "./bootstrap.ts";

/** The components of a client. */
export interface ClientComponents {
  readonly http: HttpClient;
  readonly compiler: Compiler;
  readonly state: FlagState;
  readonly updater: FlagUpdater;
  readonly storage: DefinitionsStorage;
  readonly synchronizer: Synchronizer;
  /** Undefined if no bootstrap is configured. */
  readonly bootstrap: RetryingTask | undefined;
  readonly usage: ClientUsage;
}

const now = Date.now;
const random = Math.random;

/** Creates and connects the components of a client. Starts nothing. */
export function createComponents(
  settings: Settings,
  emitter: Emitter<FlagsClientEvents>,
): ClientComponents {
  const events = toEventSink(emitter);
  const { appName, connection, strategies, bootstrapOverrides } = settings;
  const identity = createIdentity(settings);
  const { timeoutMs } = connection;
  const http = new HttpClient({
    connections: createConnections(connection),
    timeoutMs,
    observe: settings.observeRequest,
  });
  const slicer = new TimeSlicer();
  const api = new UpstreamApi({
    ...settings,
    http,
    slicer,
    identity,
    now,
  });
  const compiler = new Compiler(strategies, emitter);
  const state = new FlagState({ bootstrapOverrides, compiler });
  const provider = settings.storageProvider ?? new MemoryStorageProvider();
  const storage = new DefinitionsStorage(provider, appName, events.warn);
  const updater = new FlagUpdater({
    state,
    emitter,
    now,
    save: (definitions) => storage.save(definitions),
    slicer,
  });
  const onRole = (role: SharingRole): void => emitter.emit("role", role);
  const synchronizer = selectSynchronizer(settings, {
    api,
    updater,
    state,
    storage,
    events,
    onRole,
  });
  const bootstrap =
    settings.bootstrap &&
    createBootstrap({
      bootstrap: settings.bootstrap,
      http,
      slicer,
      userAgent: toHeaderValue(appName),
      accept: (document, signal) => updater.acceptFrom("bootstrap", document, signal),
      isNeeded: () => !state.outranks("bootstrap"),
      intervalMs: settings.refreshIntervalMs,
      events,
      now,
      random,
    });
  const usage = new ClientUsage({
    settings,
    identity,
    emitter,
    events,
    api,
    // Before the first data, every flag may exist.
    isKnown: (feature, variant) =>
      state.snapshot === undefined || hasName(state.snapshot, feature, variant),
    now,
    random,
  });
  return { http, compiler, state, updater, storage, synchronizer, bootstrap, usage };
}

interface SynchronizerDependencies {
  readonly api: UpstreamApi;
  readonly updater: FlagUpdater;
  readonly state: FlagState;
  readonly storage: DefinitionsStorage;
  readonly events: EventSink;
  readonly onRole: (role: SharingRole) => void;
}

function selectSynchronizer(
  settings: Settings,
  { api, updater, state, storage, events, onRole }: SynchronizerDependencies,
): Synchronizer {
  const { unleash, synchronization, filters, refreshIntervalMs: intervalMs, exchange } = settings;
  const holdBack = (sink: SyncSink): HoldBack =>
    new HoldBack({
      sink,
      size: () => updater.size,
      restored: () => storage.whenRestored(),
      onHeldBack: (isHeldBack) => updater.setHeldBack(isHeldBack),
      onError: (cause) => events.error(toUpstreamError(cause)),
    });
  if (unleash !== undefined) {
    return new UnleashSynchronizer({ unleash, updater, sink: holdBack(updater), events });
  }
  const create: CreateSynchronizer = (sink, hooks) => {
    const options = { api, filters, intervalMs, random, ...hooks };
    // If flags are fetched only once, nothing can confirm them later.
    if (intervalMs === 0) return createSynchronizer(synchronization, { ...options, sink });
    const held = holdBack(sink);
    const onLive = (isLive: boolean): void => {
      hooks.onLive(isLive);
      held.setLive(isLive);
    };
    return createSynchronizer(synchronization, { ...options, sink: held, onLive });
  };
  if (exchange === undefined) {
    return create(updater, { events, onLive: (isLive) => updater.setLive(isLive) });
  }
  return new SharedSynchronizer({
    exchange,
    createSynchronizer: create,
    sink: updater,
    current: () => ({
      revision: state.snapshot?.revision,
      definitions: state.definitions,
      confirmedAtMs: updater.confirmedAtMs,
    }),
    intervalMs,
    events,
    onRole,
    now,
    random,
  });
}
