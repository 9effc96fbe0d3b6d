import type { ApplicationRegistration, FlagUpdate, SyncTimestamps } from "flags-sdk";
import type { MetricValues } from "./metric-values.ts";

/** What the primary process tells a worker. */
export type ToWorker =
  /** Flags to prepare, answered with `loaded`. */
  | ({ readonly kind: "flags" } & FlagUpdate)
  /** The flags that were prepared are in force from now on. */
  | { readonly kind: "publish"; readonly timestamps: SyncTimestamps }
  /** The upstream has nothing new. */
  | { readonly kind: "unchanged"; readonly timestamps: SyncTimestamps }
  /** Whether reported usage was taken. */
  | { readonly kind: "decision"; readonly id: number; readonly isAccepted: boolean }
  /** Asks for the worker's metrics, answered with `collected`. */
  | { readonly kind: "collect" }
  /** The metrics of all processes, the answer to `scrape`; no text when they cannot be had. */
  | { readonly kind: "metrics"; readonly text: string | undefined }
  /** Checks whether the worker responds, which it does with `pong`. */
  | { readonly kind: "ping" }
  /** Open the port; answered with `listening`. */
  | { readonly kind: "listen" }
  /** Finish the requests in flight, and end. */
  | { readonly kind: "stop" };

/** What a worker tells the primary process. */
export type ToPrimary =
  /** It is there and can be told things. */
  | { readonly kind: "hello" }
  | { readonly kind: "loaded"; readonly revision: string }
  | { readonly kind: "listening"; readonly url: string }
  /** It cannot work, and ends. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Usage to be sent upstream, as JSON; answered with `decision`. */
  | { readonly kind: "usage"; readonly id: number; readonly text: string }
  /** The response to `ping`. */
  | { readonly kind: "pong" }
  /** An application to be registered upstream. */
  | { readonly kind: "registration"; readonly registration: ApplicationRegistration }
  | { readonly kind: "scrape" }
  | { readonly kind: "collected"; readonly metrics: MetricValues };

export type KindToWorker = ToWorker["kind"];

/** A message of one kind. */
export type MessageToWorker<Kind extends KindToWorker> = Extract<ToWorker, { readonly kind: Kind }>;

/** A message of one kind. */
export type MessageToPrimary<Kind extends ToPrimary["kind"]> = Extract<
  ToPrimary,
  { readonly kind: Kind }
>;
