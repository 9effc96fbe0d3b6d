import { createGauge, createLabelledCounter, createLabelledGauge } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import { METRICS_PREFIX } from "../metrics.ts";
import type { AccessFileState } from "./access-control.ts";
import type { Grant } from "./grant.ts";
import type { KeyUses } from "./key-registry.ts";

interface AccessMetrics {
  readonly uses: KeyUses;
  /** The current grants of the access file. */
  readonly grants: () => readonly Grant[];
  /** Undefined without an access file. */
  readonly file: () => AccessFileState | undefined;
}

/** Exports the uses and the expiry of keys. */
export function observeKeys(registry: Registry, { uses, grants, file }: AccessMetrics): void {
  createLabelledCounter(registry, {
    name: `${METRICS_PREFIX}_key_requests_total`,
    help: "Requests with a valid key, by name of the key",
    labelNames: ["key"],
    read: () => Array.from(uses.entries(), ([key, value]) => ({ labels: { key }, value })),
  });
  createLabelledGauge(registry, {
    name: `${METRICS_PREFIX}_key_expiry_timestamp_seconds`,
    help: "When a key stops working, for keys of the access file that expire",
    labelNames: ["key"],
    // NOTE: with workers, all processes read the same file.
    aggregator: "max",
    read: () =>
      grants().flatMap(({ rules }) =>
        rules?.expiresAtMs === undefined
          ? []
          : [{ labels: { key: rules.name }, value: rules.expiresAtMs / 1000 }],
      ),
  });
  if (file() === undefined) return;
  createGauge(registry, {
    name: `${METRICS_PREFIX}_access_file_valid`,
    help: "Whether the access file was valid when it was last read: 1 or 0",
    aggregator: "min",
    read: () => Number(file()?.isValid === true),
  });
  createGauge(registry, {
    name: `${METRICS_PREFIX}_access_file_loaded_timestamp_seconds`,
    help: "When the current keys of the access file were read",
    aggregator: "min",
    read: () => (file()?.loadedAtMs ?? 0) / 1000,
  });
}
