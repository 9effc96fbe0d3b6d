/** The result of `flags-proxy check`. Contains no secrets. */
export interface CheckReport {
  readonly version: string;
  /** Reasons why the proxy cannot start or get flags. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Undefined if settings are invalid. */
  readonly settings: CheckedSettings | undefined;
  /** Undefined if the flags could not be fetched. */
  readonly upstream: CheckedUpstream | undefined;
}

/** A selection of the settings. */
export interface CheckedSettings {
  readonly flagsUrl: string;
  /** The scope of the upstream token; undefined if its text does not contain one. */
  readonly token: TokenScope | undefined;
  readonly clientKeys: number;
  readonly serverTokens: number;
  readonly synchronization: string;
  readonly refreshIntervalMs: number;
  readonly customStrategies: readonly string[];
}

/** What a token such as `project:environment.secret` gives access to. */
export interface TokenScope {
  readonly project: string;
  readonly environment: string;
}

/** What the upstream has sent. */
export interface CheckedUpstream {
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
