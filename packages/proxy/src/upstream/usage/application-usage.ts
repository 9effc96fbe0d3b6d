import type { FeatureUsage } from "flags-sdk";

export const DEFAULT_QUOTA = "";

export interface ApplicationUsage {
  readonly appName: string;
  /** Start of the period, epoch milliseconds. */
  readonly startMs: number;
  readonly features: Readonly<Record<string, FeatureUsage>>;
  /** Impact metrics of the application. Dropped beyond a limit, even if the usage is accepted. */
  readonly impactMetrics?: readonly ImpactMetric[];
  /** Data of one quota, such as that of an API key, cannot displace that of another. @default one for all data without an id */
  readonly quotaId?: string;
}

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

export interface ConnectVia {
  readonly appName: string;
  readonly instanceId: string;
}

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
  /** As in usage. */
  readonly quotaId?: string;
}

export type PendingContent =
  | { readonly usage: ApplicationUsage }
  | { readonly quotaId: string; readonly impactMetrics: readonly ImpactMetric[] }
  | { readonly registration: ApplicationRegistration };

/** `add` when data was accepted, `remove` when it was delivered or dropped. `set` replaces the data with the same names. */
export type ChangeKind = "add" | "remove" | "set";

/** Receives every change of what is pending. */
export type Journal = (kind: ChangeKind, content: PendingContent) => void;
