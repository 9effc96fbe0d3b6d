import { createGauge, createLabelledCounter, createLabelledGauge } from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";
import { METRICS_PREFIX } from "./prefix.ts";

interface Keys {
  /** How many requests contained each key, by its name. */
  readonly uses: { readonly entries: () => Iterable<readonly [string, number]> };
  /** The current keys of the access file. */
  readonly grants: () => readonly {
    readonly rules?:
      | { readonly name: string; readonly expiresAtMs?: number | undefined }
      | undefined;
  }[];
  /** Undefined without an access file. */
  readonly file: () => { readonly isValid: boolean; readonly loadedAtMs: number } | undefined;
}

/** Exports the uses and the expiry of keys, and the state of the access file. */
export function observeKeys(registry: Registry, { uses, grants, file }: Keys): void {
  createLabelledCounter(registry, {
    name: `${METRICS_PREFIX}_key_requests_total`,
    help: "Requests with a valid key, by key name",
    labelNames: ["key"],
    read: () => Array.from(uses.entries(), ([key, value]) => ({ labels: { key }, value })),
  });
  createLabelledGauge(registry, {
    name: `${METRICS_PREFIX}_key_expiry_timestamp_seconds`,
    help: "When a key of the access file stops working, in epoch seconds; only for keys that expire",
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
    help: "When the current keys of the access file were read, in epoch seconds",
    aggregator: "min",
    read: () => (file()?.loadedAtMs ?? 0) / 1000,
  });
}

const REJECTIONS = [
  "malformed",
  "environment",
  "projects",
  "invalid",
  "limit",
  "busy",
  "unavailable",
] as const;

/** Why an unknown key was not accepted. */
export type KeyRejection = (typeof REJECTIONS)[number];

/** Exports how many requests wait. Returns a function that counts one whose key was not accepted. */
export function observeKeyRejections(
  registry: Registry,
  waiting: { readonly used: number },
): (reason: KeyRejection) => void {
  createGauge(registry, {
    name: `${METRICS_PREFIX}_upstream_keys_waiting_requests`,
    help: "Requests that are waiting for their key to be verified",
    read: () => waiting.used,
  });
  const rejections = new Counter({
    name: `${METRICS_PREFIX}_upstream_key_rejections_total`,
    help: "Requests whose key was not accepted, by reason",
    labelNames: ["reason"],
    registers: [registry],
  });
  for (const reason of REJECTIONS) rejections.inc({ reason }, 0);
  return (reason) => rejections.inc({ reason });
}

const RESULTS = ["valid", "invalid", "unknown"] as const;

interface KeyCounts {
  readonly verified: () => number;
  readonly pending: () => number;
}

/** Counts results of verifications, and revoked keys. */
export interface VerifierMetrics {
  readonly results: (result: (typeof RESULTS)[number], count: number) => void;
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
    help: "Keys for which requests waited for the upstream, by result (unknown: the upstream did not respond)",
    labelNames: ["result"],
    registers,
  });
  for (const result of RESULTS) results.inc({ result }, 0);
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
    help: "Distinct keys that are waiting for the upstream",
    read: pending,
  });
  return {
    results: (result, count) => results.inc({ result }, count),
    revoked: () => revoked.inc(),
  };
}
