// The messages between the primary process and its workers.

import type { ApplicationRegistration } from "../upstream/usage/application-usage.ts";
import type { FlagUpdate, SyncStatus } from "./flag-replica.ts";
import type { SourceFailure } from "../sources.ts";
import type { KeysChange, Verdict } from "../access/verified-key.ts";
import type { MetricObjectWithValues, MetricValue } from "prom-client";

/** The source that a message is about, by its position in the configuration. */
interface OfSource {
  readonly source: number;
}

/** A message from the primary process to a worker. */
export type ToWorker =
  /** New flags to prepare. The worker replies with `loaded`. */
  | ({ readonly kind: "flags" } & OfSource & FlagUpdate)
  /** Makes the prepared flags the current ones. */
  | ({ readonly kind: "publish"; readonly status: SyncStatus } & OfSource)
  /** The upstream has no changes. */
  | ({ readonly kind: "unchanged"; readonly status: SyncStatus } & OfSource)
  /** A request for the flags of the source has failed, or a stream of changes has started or ended. */
  | ({
      readonly kind: "status";
      readonly status: SyncStatus;
      readonly failure: SourceFailure | undefined;
    } & OfSource)
  /** The reply to `usage`, and to `registration`, which is always accepted. */
  | { readonly kind: "decision"; readonly id: number; readonly isAccepted: boolean }
  /** Requests the worker's metrics. The worker replies with `collected`. */
  | { readonly kind: "collect" }
  /** The reply to `scrape`: the metrics of all processes. No text if they cannot be collected. */
  | { readonly kind: "metrics"; readonly text: string | undefined }
  /** Keys that were verified or revoked. Times are relative to now, since each process has its own clock. */
  | { readonly kind: "keys"; readonly change: KeysChange }
  /** The reply to `verify` and `confirm`. */
  | { readonly kind: "verdict"; readonly id: number; readonly verdict: Verdict }
  /** Checks that the worker is responsive. It replies with `pong`. */
  | { readonly kind: "ping" }
  /** Opens the port. The worker replies with `listening`. */
  | { readonly kind: "listen" }
  /** Still serves requests for `delayMs`, finishes those in progress and exits. */
  | { readonly kind: "stop"; readonly delayMs: number };

/** A message from a worker to the primary process. */
export type ToPrimary =
  /** The worker is ready to receive messages. */
  | { readonly kind: "hello" }
  /** The reply to `flags`. */
  | ({ readonly kind: "loaded"; readonly revision: string } & OfSource)
  /** The reply to `listen`. */
  | { readonly kind: "listening"; readonly addresses: string }
  /** The worker cannot start and exits. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Usage to send upstream, as JSON. The primary process replies with `decision`. */
  | ({ readonly kind: "usage"; readonly id: number; readonly text: string } & OfSource)
  /** A key to verify upstream. The primary process replies with `verdict`. */
  | { readonly kind: "verify"; readonly id: number; readonly token: string }
  /** The digest of a known key to verify again. The primary process replies with `verdict`. */
  | { readonly kind: "confirm"; readonly id: number; readonly key: string }
  /** The reply to `ping`. */
  | { readonly kind: "pong" }
  /** An application to register upstream. The primary process replies with `decision`. */
  | ({
      readonly kind: "registration";
      readonly id: number;
      readonly registration: ApplicationRegistration;
    } & OfSource)
  /** Requests the metrics of all processes. The primary process replies with `metrics`. */
  | { readonly kind: "scrape" }
  /** The reply to `collect`. */
  | { readonly kind: "collected"; readonly metrics: MetricValues };

/** The metrics of one process at one point in time. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** A message of one kind to a worker. */
export type MessageToWorker<Kind extends ToWorker["kind"]> = Extract<
  ToWorker,
  { readonly kind: Kind }
>;

/** A message of one kind to the primary process. */
export type MessageToPrimary<Kind extends ToPrimary["kind"]> = Extract<
  ToPrimary,
  { readonly kind: Kind }
>;

/** A worker, as the primary process sees it. */
export interface WorkerPeer {
  /** Its name in the log. */
  readonly name: string;
  /** Does nothing after the worker has exited. */
  send(message: ToWorker): void;
}
