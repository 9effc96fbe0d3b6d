import { Counter, Gauge, type Registry } from "prom-client";
import { METRICS_PREFIX } from "../metrics.ts";
import type { FlagStorage } from "./flag-storage.ts";
import type { GuardedStore } from "./guarded-store.ts";

/** A source whose flags may be kept in a store. */
interface StoredSource {
  readonly name: string;
  readonly storage?: FlagStorage;
}

/** Exports the operations of the store, and how current the flags in it are. */
export function observeStore(registry: Registry, sources: readonly StoredSource[]): void {
  const stored = sources.flatMap(({ name, storage }) =>
    storage === undefined ? [] : [{ name, storage }],
  );
  const [first] = stored;
  if (first === undefined) return;
  const { store } = first.storage;
  const registers = [registry];
  countOperations(registry, store, {
    name: `${METRICS_PREFIX}_store_operations_total`,
    help: "Operations of the store for flags, by result",
  });
  void new Counter({
    name: `${METRICS_PREFIX}_store_rejected_documents_total`,
    help: "Stored flags that were not used because they were damaged or belong to something else",
    labelNames: ["source"],
    registers,
    collect() {
      this.reset();
      for (const { name, storage } of stored) {
        this.inc({ source: name }, storage.rejectedDocuments);
      }
    },
  });
  void new Gauge({
    name: `${METRICS_PREFIX}_source_stored_timestamp_seconds`,
    help: "When the upstream confirmed the flags in the store, in epoch seconds; 0 if there are none",
    labelNames: ["source"],
    registers,
    aggregator: "max",
    collect() {
      for (const { name, storage } of stored) {
        this.set({ source: name }, (storage.storedConfirmedAtMs ?? 0) / 1000);
      }
    },
  });
}

/** Exports the operations of the store for keys that the upstream has verified. */
export function observeKeyStore(registry: Registry, store: GuardedStore): void {
  countOperations(registry, store, {
    name: `${METRICS_PREFIX}_key_store_operations_total`,
    help: "Operations of the store for keys that the upstream has verified, by result",
  });
}

function countOperations(
  registry: Registry,
  store: Pick<GuardedStore, "operations">,
  description: { readonly name: string; readonly help: string },
): void {
  void new Counter({
    ...description,
    labelNames: ["operation", "result"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { operation, result, count } of store.operations) {
        this.inc({ operation, result }, count);
      }
    },
  });
}
