import type { Snapshot, Steps, StrategyError } from "flags-engine";
import type { ImpactMetric } from "./metrics/impact-metrics.ts";
import type { ApplicationRegistration } from "./metrics/registration-buffer.ts";

/** The definitions as the upstream sent them, for those who are entitled to read them. */
export interface FeatureDefinitions {
  readonly version: number;
  readonly features: readonly unknown[];
  readonly segments: readonly unknown[];
}

/** How often one flag was on and off, and which variants were given out. */
export interface FeatureUsage {
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
}

/** Usage that one application counted over a period of time. */
export interface ApplicationUsage {
  readonly appName: string;
  /** Start of the period, epoch milliseconds. */
  readonly startMs: number;
  readonly features: Readonly<Record<string, FeatureUsage>>;
  /** What the application measured besides. They are best effort: beyond a limit they are dropped. */
  readonly impactMetrics?: readonly ImpactMetric[];
  /**
   * Whose share of the buffer the usage counts against, for instance an id of the key under which it
   * was reported. Shares are fair: reports under one id cannot displace those under another.
   *
   * @default one share for all usage without an id
   */
  readonly quotaId?: string;
}

/** What a source tells its listeners. */
export interface FlagSourceEvents {
  /** The first usable data of any origin (storage, bootstrap, upstream) is in force. */
  ready: () => void;
  /** The first data from the upstream or a bootstrap is in force; told once, with its origin. */
  synchronized: (origin: "bootstrap" | "upstream") => void;
  /** A new snapshot is in force. */
  changed: (snapshot: Snapshot) => void;
  /** The upstream was asked and had nothing new. */
  unchanged: () => void;
  /** A fault that a person should know of; the source keeps going on its last good data. */
  error: (error: Error) => void;
  /** Something odd that needs no action now. */
  warn: (message: string) => void;
  /** A custom strategy failed, and was taken not to match. Told every time: for counting. */
  strategyError: (error: StrategyError) => void;
}

/** Work on a snapshot that is to replace a former one, in steps. It must not throw. */
export type BeforeSwapHook = (snapshot: Snapshot, former: Snapshot | undefined) => Steps<void>;

/**
 * Keeps a snapshot of one upstream environment up to date and carries usage back to it.
 *
 * The proxy evaluates against any object of this shape; `FlagsClient` is the built-in one.
 */
export interface FlagSource {
  /** The data in force; undefined until the first was received. */
  readonly snapshot: Snapshot | undefined;
  /** The document behind `snapshot`. */
  readonly definitions: FeatureDefinitions | undefined;
  /** When the upstream last answered a question for flags, epoch milliseconds. */
  readonly lastFetchAtMs: number | undefined;
  /** When the upstream last had something new, epoch milliseconds. */
  readonly lastUpdateAtMs: number | undefined;
  /** Begins synchronizing; a second call does nothing. Faults arrive as events, never as a throw. */
  start(): void;
  /** Stops synchronizing and sends the usage still held. Safe to call twice. */
  close(): Promise<void>;
  on<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this;
  off<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this;
  /**
   * Has work done on each new snapshot before it is in force, between other things, so that the
   * first to ask it does not have to wait. Returns how to end that. A source may do without.
   */
  beforeChange?(preparation: BeforeSwapHook): () => void;
  /**
   * Adds usage that was counted elsewhere, to be sent upstream under the name of its application.
   * True acknowledges it: it is sent now, or as soon as the upstream accepts it. False means that
   * nothing of it was counted because too much is waiting already: it may be reported again later.
   * A source that has to wait for another process returns a promise.
   */
  reportUsage(usage: ApplicationUsage): boolean | Promise<boolean>;
  /** Forwards the registration of an application to the upstream. Best effort. A source may lack it. */
  registerApplication?(registration: ApplicationRegistration): void;
}
