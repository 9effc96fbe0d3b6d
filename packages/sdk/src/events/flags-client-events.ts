import type { Context } from "flags-engine";
import type { FlagSourceEvents } from "../flag-source.ts";
import type { DropKind } from "../metrics/usage-drops.ts";
import type { MetricsBody } from "../metrics/metrics-body.ts";
import type { RegistrationBody } from "../metrics/registration-body.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";

/** A flag that collects impressions was asked for. */
export interface Impression {
  readonly eventType: "isEnabled" | "getVariant";
  readonly featureName: string;
  readonly context: Context;
  /** Of `getVariant`: whether the variant is enabled. */
  readonly enabled: boolean;
  /** The name of the variant, for `getVariant`. */
  readonly variant?: string;
}

/** What a client tells its listeners. */
export interface FlagsClientEvents extends FlagSourceEvents {
  /** A flag that collects impressions was asked for. */
  impression: (impression: Impression) => void;
  /** An evaluation was counted as usage. */
  count: (name: string, enabled: boolean) => void;
  /** Usage of one application was delivered, in a report of its own or as part of one in bulk. */
  sent: (report: MetricsBody) => void;
  /** Something reported to this client is not going to be sent, because of a limit or a refusal. */
  usageDropped: (kind: DropKind, count: number) => void;
  /** The upstream knows this client. */
  registered: (registration: RegistrationBody) => void;
  /** A call failed. Unlike `error` and `warn`, told every time: for counting, not for logging. */
  failure: (error: UpstreamError) => void;
}
