import type { FeatureUsage } from "flags-sdk";

/** The quota of data without one. */
export const DEFAULT_QUOTA = "";

/** Usage that one application counted over a period of time. */
export interface ApplicationUsage {
  readonly appName: string;
  /** Start of the period, epoch milliseconds. */
  readonly startMs: number;
  readonly features: Readonly<Record<string, FeatureUsage>>;
  /** Impact metrics of the application. Dropped beyond a limit, even if the usage is accepted. */
  readonly impactMetrics?: readonly ImpactMetric[];
  /**
   * The quota of the buffer that this usage counts against, for instance an id of the API key that
   * reported it. The buffer is shared fairly: usage under one id cannot displace usage under another.
   *
   * @default one quota for all usage without an id
   */
  readonly quotaId?: string;
}

/** An impact metric as measured by the official SDKs. */
export interface ImpactMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly ImpactSample[];
}

/** A value, or for a histogram the cumulative counts by upper bound. */
export type ImpactSample = {
  readonly labels: Readonly<Record<string, string>>;
} & (NumericValue | HistogramValue);

interface NumericValue {
  readonly value: number;
}

interface HistogramValue {
  readonly count: number;
  readonly sum: number;
  readonly buckets: readonly { readonly le: number | "+Inf"; readonly count: number }[];
}

/** A proxy between an application and the upstream. */
export interface ConnectVia {
  readonly appName: string;
  readonly instanceId: string;
}

/** How an application describes itself, so that the upstream can list it. */
export interface ApplicationRegistration {
  readonly appName: string;
  readonly instanceId: string;
  /** Whether it evaluates flags itself (`backend`) or receives results (`frontend`). */
  readonly sdkType: "frontend" | "backend";
  /** Name and version of its SDK, such as `unleash-js-sdk:3.8.2`. */
  readonly sdkVersion?: string;
  /** The framework that wraps the SDK, and its version. */
  readonly sdkFlavor?: string;
  readonly sdkFlavorVersion?: string;
  readonly platformName?: string;
  readonly platformVersion?: string;
  readonly specVersion?: string;
  readonly strategies: readonly string[];
  /** When it started, ISO 8601. */
  readonly started: string;
  /** Milliseconds between its usage reports. */
  readonly interval: number;
  /** The proxies that forwarded the registration to this client; the one nearest to the application first. */
  readonly connectVia?: readonly ConnectVia[];
  /** The quota of the buffer that it counts against. @default one quota for all without an id */
  readonly quotaId?: string;
}

/** What is pending: usage, impact metrics or a registration. */
export type PendingContent =
  | { readonly usage: ApplicationUsage }
  | { readonly quotaId: string; readonly impactMetrics: readonly ImpactMetric[] }
  | { readonly registration: ApplicationRegistration };

/**
 * A change of what is pending: `add` when it was accepted, `remove` when it was delivered or dropped.
 * `set` replaces the counts of the flags, or the impact metrics with the labels, that it names.
 */
export type ChangeKind = "add" | "remove" | "set";

/** Receives every change of what is pending. */
export type Journal = (kind: ChangeKind, content: PendingContent) => void;
