import type { Snapshot, Steps, StrategyError } from "flags-engine";

/** The flag definitions as the upstream sent them. Only for clients that may read them. */
export interface FeatureDefinitions {
  readonly version: number;
  readonly features: readonly unknown[];
  readonly segments: readonly unknown[];
}

/** How often one flag was on and off, and how often each of its variants was returned. */
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

/**
 * Where the flags of a source come from: the upstream, a bootstrap until the upstream responds, a store or
 * storage provider that kept them across a restart, another replica that follows the upstream for this
 * one, or a file.
 */
export type FlagOrigin = "upstream" | "bootstrap" | "store" | "shared" | "file";

/** A fall of the number of flags to none, or below half. */
export interface FlagFall {
  readonly before: number;
  readonly after: number;
  /** When it was noticed, epoch milliseconds. */
  readonly atMs: number;
  /** Whether the previous flags are still in use, until the upstream has confirmed that there are none. */
  readonly isHeldBack: boolean;
}

/** Events of a source, with the parameters of their listeners. */
export interface FlagSourceEvents {
  /** The first usable data from any origin (storage, bootstrap or upstream) is available. */
  ready: () => void;
  /** The first data from the upstream or a bootstrap is available. Emitted once. */
  synchronized: (origin: "bootstrap" | "upstream") => void;
  /** A new snapshot has replaced the previous one. */
  changed: (snapshot: Snapshot) => void;
  /** The upstream responded that nothing has changed. */
  unchanged: () => void;
  /** `fall` has changed. */
  fall: (fall: FlagFall | undefined) => void;
  /** `isLive` has changed. */
  live: (isLive: boolean) => void;
  /** An error that needs attention. The source keeps serving the last good data. */
  error: (error: Error) => void;
  /** A problem that is expected to resolve itself, or that needs no immediate action. */
  warn: (message: string) => void;
  /** A custom strategy failed and was treated as not matching. Emitted for every failure. */
  strategyError: (error: StrategyError) => void;
}

/** Work on a snapshot before it replaces the previous one, in steps. Must not throw. */
export type BeforeChangeHook = (snapshot: Snapshot, previous: Snapshot | undefined) => Steps<void>;

/**
 * Keeps a snapshot of one upstream environment up to date, and sends usage to this upstream.
 *
 * The proxy accepts any object with this interface; `FlagsClient` is the built-in implementation.
 */
export interface FlagSource {
  /** The current data; undefined until the first data is available. */
  readonly snapshot: Snapshot | undefined;
  /** The definitions that `snapshot` was compiled from. */
  readonly definitions: FeatureDefinitions | undefined;
  /** When the upstream last responded to a request for flags, epoch milliseconds. */
  readonly lastFetchAtMs: number | undefined;
  /** When the upstream last sent new data, epoch milliseconds. */
  readonly lastUpdateAtMs: number | undefined;
  /** Where the current data comes from; undefined until there is any. Optional. */
  readonly origin?: FlagOrigin | undefined;
  /**
   * When the current data was last confirmed to be up to date, as `performance.now()` of this process, so
   * that changes of the clock have no effect; undefined if never. Optional.
   */
  readonly confirmedAtMs?: number | undefined;
  /**
   * Whether changes arrive as they happen. Data from files, and of a source without an `origin`, is then up to date at
   * any time; other data is as old as `confirmedAtMs` says. Optional.
   */
  readonly isLive?: boolean;
  /** The last fall of the number of flags, until there are as many again as half of those before. Optional. */
  readonly fall?: FlagFall | undefined;
  /** Starts synchronizing; later calls have no effect. Never throws: errors are emitted as events. */
  start(): void;
  /** Stops synchronizing and sends the pending usage. Later calls have no effect. */
  close(): Promise<void>;
  on<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this;
  off<Event extends keyof FlagSourceEvents>(event: Event, listener: FlagSourceEvents[Event]): this;
  /**
   * Registers work to be done on each new snapshot before it replaces the previous one, in steps
   * between which the event loop runs, so that the first request does not have to wait for it.
   * Returns a function that removes the hook. Optional.
   */
  beforeChange?(hook: BeforeChangeHook): () => void;
  /**
   * Adds usage that was counted elsewhere, to be sent to the upstream under the name of its
   * application. Returns true if all of it was accepted: it is sent now, or as soon as the upstream
   * is available. Returns false if it was not counted because too much is pending; the
   * caller may report it again later. A source in another process returns a promise.
   */
  reportUsage(usage: ApplicationUsage): boolean | Promise<boolean>;
  /**
   * Forwards the registration of an application to the upstream; drops it beyond a limit. A source that
   * stores it first returns a promise. Optional.
   */
  registerApplication?(registration: ApplicationRegistration): void | Promise<void>;
}
