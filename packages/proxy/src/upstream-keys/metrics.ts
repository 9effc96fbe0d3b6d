import { createGauge } from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";
import { METRICS_PREFIX } from "../metrics.ts";
import type { Verdict } from "../access/verified-key.ts";

interface KeyCounts {
  readonly verified: () => number;
  readonly pending: () => number;
}

/** Counts results of verifications, and revoked keys. */
export interface VerifierMetrics {
  readonly results: (result: Verdict["status"], count: number) => void;
  readonly revoked: () => void;
}

/** Creates the metrics of the process that verifies keys. */
export function createVerifierMetrics(
  registry: Registry,
  { verified, pending }: KeyCounts,
): VerifierMetrics {
  const registers = [registry];
  const results = new Counter({
    name: `${METRICS_PREFIX}_upstream_key_verifications_total`,
    help: "New keys that were verified upstream, by result; unknown: the upstream did not respond",
    labelNames: ["result"],
    registers,
  });
  for (const result of ["valid", "invalid", "unknown"] as const) results.inc({ result }, 0);
  const revoked = new Counter({
    name: `${METRICS_PREFIX}_upstream_keys_revoked_total`,
    help: "Verified keys that the upstream has revoked",
    registers,
  });
  createGauge(registry, {
    name: `${METRICS_PREFIX}_upstream_keys`,
    help: "Keys that the upstream has verified",
    read: verified,
  });
  createGauge(registry, {
    name: `${METRICS_PREFIX}_upstream_keys_pending`,
    help: "Different keys that wait for the upstream",
    read: pending,
  });
  return {
    results: (result, count) => results.inc({ result }, count),
    revoked: () => revoked.inc(),
  };
}
