import type { TokenScope } from "../token-scope.ts";

/** The result of `flags-proxy check`. Contains no secrets. */
export interface CheckReport {
  readonly version: string;
  /** Reasons why the proxy cannot start or get flags. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Undefined if settings are invalid. */
  readonly settings: CheckedSettings | undefined;
  /** One per token whose flags could be fetched. */
  readonly upstreams: readonly CheckedUpstream[];
  /** With flags from files: one per file. */
  readonly files?: readonly CheckedFile[];
}

/** A selection of the settings. */
export interface CheckedSettings {
  readonly flagsUrl: string;
  /** The scope of each upstream token; undefined if its text does not contain one. */
  readonly tokens: readonly (TokenScope | undefined)[];
  readonly clientKeys: number;
  readonly serverTokens: number;
  /** The path of the access file, whose keys are not counted here. */
  readonly accessFile?: string;
  /** Whether the upstream verifies further keys. */
  readonly upstreamKeys: boolean;
  readonly synchronization: string;
  readonly refreshIntervalMs: number;
  readonly customStrategies: readonly string[];
}

/** What a file with flags contains. */
export interface CheckedFile {
  /** The name of the source in logs and metrics. */
  readonly source: string;
  readonly path: string;
  /** The environment that it is served as; undefined if none is named. */
  readonly environment: string | undefined;
  readonly flags: number;
  readonly segments: number;
  readonly sizeBytes: number;
}

/** What the upstream has sent. */
export interface CheckedUpstream {
  /** The name of the source in logs and metrics. */
  readonly source: string;
  readonly environment: string | undefined;
  readonly flags: number;
  readonly segments: number;
  readonly sizeBytes: number;
  /** Includes opening the connection and the transfer of all flags. */
  readonly firstRequestMs: number;
  /** On an open connection, while nothing has changed. */
  readonly pollMs: number;
  /** Positive: the clock of the upstream is ahead. */
  readonly clockOffsetMs: number | undefined;
  readonly clockUncertaintyMs: number | undefined;
  readonly offersDelta: boolean;
  readonly offersStreaming: boolean;
}
