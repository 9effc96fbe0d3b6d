import { toEventSink } from "../events.ts";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import { HOST_NAME } from "../host.ts";
import type { Settings } from "../options/resolve-options.ts";
import type { FeatureDefinitions } from "../synced-flags.ts";
import { DefinitionsStorage } from "../storage/definitions-storage.ts";
import { MemoryStorageProvider } from "../storage/storage-provider.ts";
import { Compiler } from "../sync/compiler.ts";
import { createSynchronizer } from "../sync/create-synchronizer.ts";
import { FlagState } from "../sync/flag-state.ts";
import { FlagUpdater } from "../sync/flag-updater.ts";
import { HoldBack } from "../sync/hold-back.ts";
import type { Synchronizer, SyncSink } from "../sync/synchronizer.ts";
import { UnleashSynchronizer } from "../sync/unleash-synchronizer.ts";
import { connectUpstream } from "./connect-upstream.ts";
import type { UpstreamConnection } from "./connect-upstream.ts";
import { createConnections } from "../transport/connections.ts";
import type { EventSink } from "../transport/failure-log.ts";
import { toHeaderValue } from "../transport/headers.ts";
import { HttpClient } from "../transport/http-client.ts";
import type { RequestObserver } from "../transport/http-client.ts";
import type { RetryingTask } from "../transport/retrying-task.ts";
import { ClientUsage } from "../usage/client-usage.ts";
import { createBootstrap } from "./bootstrap.ts";

/** What flags-proxy provides. */
export interface ClientParts {
  readonly observeRequest?: RequestObserver | undefined;
  /** Creates the synchronizer of a client that shares its flags. @default the client follows the upstream itself */
  readonly share?: ((following: Following) => Synchronizer) | undefined;
}

/** What a replica needs that follows the upstream for others, or gets its flags from another one. */
export interface Following {
  readonly createSynchronizer: CreateSynchronizer;
  readonly sink: FlagUpdater;
  readonly current: () => CurrentFlags;
  readonly intervalMs: number;
  readonly events: EventSink;
}

export type CreateSynchronizer = (sink: SyncSink, hooks: SynchronizerHooks) => Synchronizer;

interface SynchronizerHooks {
  readonly events: EventSink;
  readonly onLive: (isLive: boolean) => void;
}

interface CurrentFlags {
  readonly revision: string | undefined;
  readonly definitions: FeatureDefinitions | undefined;
  /** When they were confirmed, as `performance.now()`; undefined if that is not known. */
  readonly confirmedAtMs: number | undefined;
}

export interface ClientComponents {
  readonly upstream: UpstreamConnection;
  readonly events: EventSink;
  readonly compiler: Compiler;
  readonly updater: FlagUpdater;
  readonly storage: DefinitionsStorage;
  readonly synchronizer: Synchronizer;
  readonly bootstrap: RetryingTask | undefined;
  readonly usage: ClientUsage;
}

export function createComponents(
  settings: Settings,
  emitter: Emitter<FlagsClientEvents>,
  parts: ClientParts,
): ClientComponents {
  const events = toEventSink(emitter);
  const { appName, connection, strategies, bootstrapOverrides } = settings;
  const http = new HttpClient({
    connections: createConnections(connection),
    timeoutMs: connection.timeoutMs,
    observe: parts.observeRequest,
  });
  const upstream = connectUpstream(settings, http);
  const { api, identity, slicer } = upstream;
  const compiler = new Compiler(strategies, emitter, HOST_NAME);
  const provider = settings.storageProvider ?? new MemoryStorageProvider();
  const storage = new DefinitionsStorage(provider, appName, events.warn);
  const updater = new FlagUpdater({
    state: new FlagState({ bootstrapOverrides, compiler }),
    emitter,
    save: (definitions) => storage.save(definitions),
    slicer,
  });
  const connected = { upstream, events, compiler, updater, storage };
  const synchronizer = selectSynchronizer(settings, parts, connected);
  const bootstrap =
    settings.bootstrap &&
    createBootstrap({
      bootstrap: settings.bootstrap,
      http,
      slicer,
      userAgent: toHeaderValue(appName),
      accept: (document, signal) => updater.acceptFrom("bootstrap", document, signal),
      isNeeded: () => !updater.state.outranks("bootstrap"),
      intervalMs: settings.refreshIntervalMs,
      events,
    });
  const usage = new ClientUsage({ settings, api, identity, emitter, events });
  return { ...connected, synchronizer, bootstrap, usage };
}

function selectSynchronizer(
  settings: Settings,
  { share }: ClientParts,
  components: Pick<ClientComponents, "events" | "storage" | "updater" | "upstream">,
): Synchronizer {
  const { upstream, updater, storage, events } = components;
  const { unleash, synchronization, filters, refreshIntervalMs: intervalMs } = settings;
  const holdBack = (sink: SyncSink): HoldBack =>
    new HoldBack({
      sink,
      updater,
      events,
      restored: () => storage.whenRestored(),
    });
  if (unleash !== undefined) {
    return new UnleashSynchronizer({ unleash, updater, sink: holdBack(updater), events });
  }
  const create: CreateSynchronizer = (sink, hooks) => {
    const options = { api: upstream.api, filters, intervalMs, ...hooks };
    // If flags are fetched only once, nothing can confirm them later.
    const held = intervalMs === 0 ? sink : holdBack(sink);
    return createSynchronizer(synchronization, { ...options, sink: held });
  };
  if (share === undefined) {
    return create(updater, { events, onLive: (isLive) => updater.setLive(isLive) });
  }
  return share({
    createSynchronizer: create,
    sink: updater,
    current: () => ({
      revision: updater.state.snapshot?.revision,
      definitions: updater.state.definitions,
      confirmedAtMs: updater.confirmedAtMs,
    }),
    intervalMs,
    events,
  });
}
