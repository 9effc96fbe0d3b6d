import { Counter, Gauge, type Registry } from "prom-client";
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
  const registers = [registry];
  void new Counter({
    name: `${METRICS_PREFIX}_key_requests_total`,
    help: "Requests with a valid key, by name of the key",
    labelNames: ["key"],
    registers,
    collect() {
      this.reset();
      for (const [key, count] of uses.entries()) this.inc({ key }, count);
    },
  });
  // NOTE: with workers, all processes read the same file.
  const shared = { registers, aggregator: "max" } as const;
  void new Gauge({
    name: `${METRICS_PREFIX}_key_expiry_timestamp_seconds`,
    help: "When a key stops working, for keys of the access file that expire",
    labelNames: ["key"],
    ...shared,
    collect() {
      this.reset();
      for (const { rules } of grants()) {
        if (rules?.expiresAtMs === undefined) continue;
        this.set({ key: rules.name }, rules.expiresAtMs / 1000);
      }
    },
  });
  if (file() === undefined) return;
  void new Gauge({
    name: `${METRICS_PREFIX}_access_file_valid`,
    help: "Whether the access file was valid when it was last read: 1 or 0",
    registers,
    aggregator: "min",
    collect() {
      this.set(file()?.isValid === true ? 1 : 0);
    },
  });
  void new Gauge({
    name: `${METRICS_PREFIX}_access_file_loaded_timestamp_seconds`,
    help: "When the current keys of the access file were read",
    registers,
    aggregator: "min",
    collect() {
      this.set((file()?.loadedAtMs ?? 0) / 1000);
    },
  });
}
