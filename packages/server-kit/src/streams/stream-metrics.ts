import type { Registry } from "prom-client";
import { byReason, MetricSet } from "../http/metrics.ts";
import type { ClosedStreams } from "./stream-hub.ts";

export function observeClosedStreams(
  registry: Registry,
  name: string,
  streams: { readonly closed: ClosedStreams },
): void {
  new MetricSet(registry, name).readCounter(
    "closed_total",
    "Streams closed by the server: at their maximum age (max_age), because their stored state " +
      "no longer suffices (outdated), because their key, token or session is no longer valid (revoked), because " +
      "the server stopped (shutdown), because the signature of their context has expired (signature_expired), or " +
      "because their client had stopped reading (stalled)",
    ["reason"],
    () => byReason(streams.closed),
  );
}
