// The messages between the primary process and its workers.

import type { FlagUpdate, SyncEvent, SyncStatus } from "./flag-replica.ts";
import type { KeysChange } from "../core/access/verified-key.ts";
import type { PrimaryFunctions } from "./primary-functions.ts";
import type { LogLevel } from "flags-server-kit/neutral";
import type { MetricObjectWithValues, MetricValue } from "prom-client";

/** By the position in the configuration. */
interface OfSource {
  readonly source: number;
}

export type ToWorker =
  /** New flags to prepare. The worker replies with `loaded`. */
  | ({ readonly kind: "flags" } & OfSource & FlagUpdate)
  | ({
      readonly kind: "status";
      readonly status: SyncStatus;
      readonly event: SyncEvent | undefined;
    } & OfSource)
  /** Keys that were verified or revoked. Times are relative to now, since each process has its own clock. */
  | { readonly kind: "keys"; readonly change: KeysChange }
  /** The reply to `call`; no result if it failed. */
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  /** Requests the worker's metrics. The worker replies with `collected`. */
  | { readonly kind: "collect" }
  /** Checks that the worker is responsive. It replies with `pong`. */
  | { readonly kind: "ping" }
  /** Opens the port. The worker replies with `listening`. */
  | { readonly kind: "listen" }
  /** Still serves requests for `delayMs`, finishes those in progress and exits. */
  | { readonly kind: "stop"; readonly delayMs: number };

export type ToPrimary =
  /** The worker is ready to receive messages. */
  | { readonly kind: "hello" }
  | ({ readonly kind: "loaded"; readonly revision: string } & OfSource)
  | { readonly kind: "listening"; readonly addresses: string }
  /** The worker cannot start and exits. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Calls a function of the primary process, which replies with `result`. */
  | {
      readonly kind: "call";
      readonly id: number;
      readonly name: keyof PrimaryFunctions;
      readonly args: readonly unknown[];
    }
  /** Requests all verified keys, and then every change, as `keys`. */
  | { readonly kind: "followKeys" }
  /** Something that every worker notices. It is logged once for all of them. */
  | { readonly kind: "log"; readonly level: LogLevel; readonly message: string }
  | { readonly kind: "pong" }
  | { readonly kind: "collected"; readonly metrics: MetricValues };

export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

export type MessageToWorker<Kind extends ToWorker["kind"]> = Extract<
  ToWorker,
  { readonly kind: Kind }
>;

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
