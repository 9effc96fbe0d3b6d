import { FlagsClient, type SharingRole, type SharingStatus } from "flags-sdk";
import { Counter, Gauge, type Registry } from "prom-client";
import { METRICS_PREFIX } from "../metrics.ts";
import type { UpstreamSource } from "../sources.ts";

const ROLES: readonly SharingRole[] = ["holder", "follower", "alone"];

/** Exports how sources share their flags with other replicas; nothing if none does. */
export function observeSharing(registry: Registry, sources: readonly UpstreamSource[]): void {
  const readStatuses = (): readonly (SharingStatus & { readonly source: string })[] =>
    sources.flatMap(({ name: source, flags }) =>
      flags instanceof FlagsClient && flags.sharing !== undefined
        ? [{ ...flags.sharing, source }]
        : [],
    );
  if (readStatuses().length === 0) return;
  const registers = [registry];
  const aggregator = "max" as const;
  void new Gauge({
    name: `${METRICS_PREFIX}_sharing_role`,
    help: "1 for the current role of this replica: holder follows the upstream for all replicas, follower gets the flags of the holder, alone follows the upstream for itself",
    labelNames: ["source", "role"],
    registers,
    aggregator,
    collect() {
      for (const { source, role: current } of readStatuses()) {
        for (const role of ROLES) this.set({ source, role }, Number(role === current));
      }
    },
  });
  void new Counter({
    name: `${METRICS_PREFIX}_sharing_takeovers_total`,
    help: "How often this replica has begun to follow the upstream for all replicas",
    labelNames: ["source"],
    registers,
    collect() {
      this.reset();
      for (const { source, takeovers } of readStatuses()) this.inc({ source }, takeovers);
    },
  });
  void new Gauge({
    name: `${METRICS_PREFIX}_sharing_last_contact_timestamp_seconds`,
    help: "When sharing flags with other replicas last worked, in epoch seconds; 0 if never",
    labelNames: ["source"],
    registers,
    aggregator,
    collect() {
      for (const { source, lastContactAtMs = 0 } of readStatuses()) {
        this.set({ source }, lastContactAtMs / 1000);
      }
    },
  });
}
