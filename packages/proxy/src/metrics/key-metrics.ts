import type { Registry } from "prom-client";
import { proxyMetrics } from "./metric-set.ts";

interface Keys {
  /** How many requests contained each key, by its name. */
  readonly uses: { readonly entries: () => Iterable<readonly [string, number]> };
  readonly grants: () => readonly {
    readonly rules?:
      | { readonly name: string; readonly expiresAtMs?: number | undefined }
      | undefined;
  }[];
  readonly file: () => { readonly isValid: boolean; readonly loadedAtMs: number } | undefined;
}

export function observeKeys(registry: Registry, { uses, grants, file }: Keys): void {
  const metrics = proxyMetrics(registry);
  metrics.readCounter("key_requests_total", "Requests with a valid key, by key name", ["key"], () =>
    Array.from(uses.entries(), ([key, value]) => ({ labels: { key }, value })),
  );
  metrics.gauge(
    "key_expiry_timestamp_seconds",
    "When a key of the access file stops working, in epoch seconds; only for keys that expire",
    ["key"],
    () =>
      grants().flatMap(({ rules }) =>
        rules?.expiresAtMs === undefined
          ? []
          : [{ labels: { key: rules.name }, value: rules.expiresAtMs / 1000 }],
      ),
    // NOTE: with workers, all processes read the same file.
    "max",
  );
  if (file() === undefined) return;
  metrics.gauge(
    "access_file_valid",
    "Whether the access file was valid when it was last read: 1 or 0",
    [],
    () => Number(file()?.isValid === true),
    "min",
  );
  metrics.gauge(
    "access_file_loaded_timestamp_seconds",
    "When the current keys of the access file were read, in epoch seconds",
    [],
    () => (file()?.loadedAtMs ?? 0) / 1000,
    "min",
  );
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

export type KeyRejection = (typeof REJECTIONS)[number];

/** Exports how many requests wait. Returns a function that counts one whose key was not accepted. */
export function observeKeyRejections(
  registry: Registry,
  waiting: { readonly used: number },
): (reason: KeyRejection) => void {
  const metrics = proxyMetrics(registry);
  metrics.gauge(
    "upstream_keys_waiting_requests",
    "Requests that are waiting for their key to be verified",
    [],
    () => waiting.used,
  );
  const rejections = metrics.counter(
    "upstream_key_rejections_total",
    "Requests whose key was not accepted, by reason",
    ["reason"],
  );
  for (const reason of REJECTIONS) rejections.inc({ reason }, 0);
  return (reason) => rejections.inc({ reason });
}

const RESULTS = ["valid", "invalid", "unknown"] as const;

export type VerifierMetrics = ReturnType<typeof createVerifierMetrics>;

/** Creates the metrics of the process that verifies keys. */
export function createVerifierMetrics(
  registry: Registry,
  { verified, pending }: { readonly verified: () => number; readonly pending: () => number },
) {
  const metrics = proxyMetrics(registry);
  metrics.gauge("upstream_keys", "Keys that the upstream has verified", [], verified);
  metrics.gauge(
    "upstream_keys_pending",
    "Distinct keys that are waiting for the upstream",
    [],
    pending,
  );
  const results = metrics.counter(
    "upstream_key_verifications_total",
    "Keys for which requests waited for the upstream, by result (unknown: the upstream did not respond)",
    ["result"],
  );
  for (const result of RESULTS) results.inc({ result }, 0);
  return {
    results,
    revoked: metrics.counter(
      "upstream_keys_revoked_total",
      "Verified keys that the upstream has revoked",
    ),
  };
}
