import { UpstreamSource } from "../upstream/upstream-source.ts";
import type { SharingRole, SharingStatus } from "../upstream/sharing/shared-synchronizer.ts";
import { createLabelledCounter, createLabelledGauge } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import { METRICS_PREFIX } from "./prefix.ts";
import type { Source } from "../sources.ts";
import type { GuardedStore } from "../store/guarded-store.ts";

const ROLES: readonly SharingRole[] = ["holder", "follower", "alone"];

/** Exports how sources use the store and share their flags with other replicas; nothing if none does. */
export function observeStores(registry: Registry, sources: readonly Source[]): void {
  observeStorage(registry, sources);
  observeSharing(registry, sources);
}

/** Exports the operations of the store, and how current the flags in it are. */
function observeStorage(registry: Registry, sources: readonly Source[]): void {
  const stored = sources.flatMap(({ name, storedFlags }) =>
    storedFlags === undefined ? [] : [{ name, storedFlags }],
  );
  const [first] = stored;
  if (first === undefined) return;
  const { store } = first.storedFlags;
  countOperations(registry, store, {
    name: `${METRICS_PREFIX}_store_operations_total`,
    help: "Operations on the store for flags, by result",
  });
  createLabelledCounter(registry, {
    name: `${METRICS_PREFIX}_store_rejected_documents_total`,
    help: "Stored flags that were not used because they were damaged or belong to something else",
    labelNames: ["source"],
    read: () =>
      stored.map(({ name: source, storedFlags }) => ({
        labels: { source },
        value: storedFlags.rejectedDocuments,
      })),
  });
  createLabelledGauge(registry, {
    name: `${METRICS_PREFIX}_source_stored_timestamp_seconds`,
    help: "When the upstream confirmed the flags in the store, in epoch seconds; 0 if there are none",
    labelNames: ["source"],
    aggregator: "max",
    read: () =>
      stored.map(({ name: source, storedFlags }) => ({
        labels: { source },
        value: (storedFlags.storedConfirmedAtMs ?? 0) / 1000,
      })),
  });
}

/** Exports how sources share their flags with other replicas. */
function observeSharing(registry: Registry, sources: readonly Source[]): void {
  const readStatuses = (): readonly (SharingStatus & { readonly source: string })[] =>
    sources.flatMap(({ name: source, flags }) =>
      flags instanceof UpstreamSource && flags.sharing !== undefined
        ? [{ ...flags.sharing, source }]
        : [],
    );
  if (readStatuses().length === 0) return;
  createLabelledGauge(registry, {
    name: `${METRICS_PREFIX}_sharing_role`,
    help: "1 for the current role of this replica: holder follows the upstream for all replicas, follower gets the flags of the holder, alone follows the upstream on its own",
    labelNames: ["source", "role"],
    aggregator: "max",
    read: () =>
      readStatuses().flatMap(({ source, role: current }) =>
        ROLES.map((role) => ({ labels: { source, role }, value: Number(role === current) })),
      ),
  });
  createLabelledCounter(registry, {
    name: `${METRICS_PREFIX}_sharing_takeovers_total`,
    help: "How often this replica has begun to follow the upstream for all replicas",
    labelNames: ["source"],
    read: () =>
      readStatuses().map(({ source, takeovers }) => ({ labels: { source }, value: takeovers })),
  });
  createLabelledGauge(registry, {
    name: `${METRICS_PREFIX}_sharing_last_contact_timestamp_seconds`,
    help: "When sharing flags with other replicas last worked, in epoch seconds; 0 if never",
    labelNames: ["source"],
    aggregator: "max",
    read: () =>
      readStatuses().map(({ source, lastContactAtMs = 0 }) => ({
        labels: { source },
        value: lastContactAtMs / 1000,
      })),
  });
}

/** Exports the operations of the store for keys that the upstream has verified. */
export function observeKeyStore(registry: Registry, store: GuardedStore): void {
  countOperations(registry, store, {
    name: `${METRICS_PREFIX}_key_store_operations_total`,
    help: "Operations on the store for keys that the upstream has verified, by result",
  });
}

function countOperations(
  registry: Registry,
  store: Pick<GuardedStore, "operations">,
  description: { readonly name: string; readonly help: string },
): void {
  createLabelledCounter(registry, {
    ...description,
    labelNames: ["operation", "result"],
    read: () =>
      Array.from(store.operations, ({ operation, result, count }) => ({
        labels: { operation, result },
        value: count,
      })),
  });
}
