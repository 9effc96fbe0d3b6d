import type { MetricSet } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import type { Source } from "../sources/sources.ts";
import type { GuardedStore } from "../store/guarded-store.ts";
import type { SharingRole, SharingStatus } from "../upstream/sharing/shared-synchronizer.ts";
import { UpstreamSource } from "../upstream/upstream-source.ts";
import { proxyMetrics, valuesOf } from "./metric-set.ts";

/** Exports how sources use the store and share their flags with other replicas; nothing if none does. */
export function observeStores(registry: Registry, sources: readonly Source[]): void {
  observeStorage(registry, sources);
  observeSharing(registry, sources);
}

function observeStorage(registry: Registry, sources: readonly Source[]): void {
  const store = sources[0]?.storedFlags?.store;
  if (store === undefined) return;
  const metrics = proxyMetrics(registry);
  countOperations(
    metrics,
    store,
    "store_operations_total",
    "Operations on the store for flags, by result",
  );
  metrics.readCounter(
    "store_rejected_documents_total",
    "Stored flags that were not used because they were damaged or belong to something else",
    ["source"],
    () => valuesOf(sources, ({ storedFlags }) => storedFlags?.rejectedDocuments),
  );
  metrics.gauge(
    "source_stored_timestamp_seconds",
    "When the upstream confirmed the flags in the store, in epoch seconds; 0 if there are none",
    ["source"],
    () => valuesOf(sources, ({ storedFlags }) => (storedFlags?.storedConfirmedAtMs ?? 0) / 1000),
    "max",
  );
}

const ROLES: readonly SharingRole[] = ["holder", "follower", "alone"];

function observeSharing(registry: Registry, sources: readonly Source[]): void {
  const sharing = sources.filter((source) => statusOf(source) !== undefined);
  if (sharing.length === 0) return;
  const metrics = proxyMetrics(registry);
  metrics.gauge(
    "sharing_role",
    "1 for the current role of this replica: holder follows the upstream for all replicas, follower gets the flags of the holder, alone follows the upstream on its own",
    ["source", "role"],
    () =>
      sharing.flatMap((source) =>
        ROLES.map((role) => ({
          labels: { source: source.name, role },
          value: Number(role === statusOf(source)?.role),
        })),
      ),
    "max",
  );
  metrics.readCounter(
    "sharing_takeovers_total",
    "How often this replica has begun to follow the upstream for all replicas",
    ["source"],
    () => valuesOf(sharing, (source) => statusOf(source)?.takeovers),
  );
  metrics.gauge(
    "sharing_last_contact_timestamp_seconds",
    "When sharing flags with other replicas last worked, in epoch seconds; 0 if never",
    ["source"],
    () => valuesOf(sharing, (source) => (statusOf(source)?.lastContactAtMs ?? 0) / 1000),
    "max",
  );
}

function statusOf({ flags }: Source): SharingStatus | undefined {
  return flags instanceof UpstreamSource ? flags.sharing : undefined;
}

export function observeKeyStore(registry: Registry, store: GuardedStore): void {
  countOperations(
    proxyMetrics(registry),
    store,
    "key_store_operations_total",
    "Operations on the store for keys that the upstream has verified, by result",
  );
}

function countOperations(metrics: MetricSet, store: GuardedStore, name: string, help: string) {
  metrics.readCounter(name, help, ["operation", "result"], () =>
    Array.from(store.operations, ({ count, ...labels }) => ({ labels, value: count })),
  );
}
