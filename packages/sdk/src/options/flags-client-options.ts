import type { CustomStrategy } from "flags-engine";
import type { StorageProvider } from "../storage/storage-provider.ts";
import type { Synchronization } from "../sync/synchronizer.ts";
import type { UnleashClient } from "../sync/unleash-synchronizer.ts";
import type { CustomHeadersFunction } from "../transport/headers.ts";

/** A tag that a flag must have. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

/** TLS settings for connections to the upstream. */
export interface HttpOptions {
  /** Whether to reject an upstream whose certificate cannot be verified. @default true */
  readonly rejectUnauthorized?: boolean | undefined;
  /** PEM certificates of the CAs to trust, instead of the default ones. @default the CAs that Node trusts */
  readonly ca?: string | readonly string[] | undefined;
  /** PEM certificate that the client presents to the upstream, with intermediate ones. @default none */
  readonly cert?: string | undefined;
  /** PEM private key of `cert`. @default none */
  readonly key?: string | undefined;
}

/** Flags to use before the first response of the upstream. Only the first source below is used. */
export interface BootstrapOptions {
  /** Flags, in the format of the upstream. */
  readonly data?: readonly unknown[] | undefined;
  /** Segments used by `data`. */
  readonly segments?: readonly unknown[] | undefined;
  /** URL of a document `{ features, segments? }`; requested until it succeeds. */
  readonly url?: string | undefined;
  /** Headers for `url`. The token of the upstream is not sent there. */
  readonly urlHeaders?: Readonly<Record<string, string>> | undefined;
  /** Path of a JSON file with a document `{ features, segments? }`. */
  readonly filePath?: string | undefined;
  /** Whether the bootstrap replaces flags restored from storage. @default true */
  readonly override?: boolean | undefined;
}

/** Options of a client. `0`, `false` and empty strings are values; only `undefined` means the default. */
export interface FlagsClientOptions {
  /** URL of the upstream API, for instance `https://flags.example.com/api`. */
  readonly url: string;
  /** Name of the application, in the context of every evaluation and in usage reports. */
  readonly appName: string;
  /** API token of the upstream, sent as `Authorization`. @default none */
  readonly token?: string | undefined;
  /** Distinguishes this process from others of the application. @default generated from the host name */
  readonly instanceId?: string | undefined;
  /** The `environment` in the context of every evaluation. @default "default" */
  readonly environment?: string | undefined;
  /**
   * How to synchronize with the upstream: fetch everything (`polling`) or changes (`delta`) at
   * intervals, or receive changes as they happen (`streaming`). The client polls while deltas or
   * streaming do not work. @default "polling"
   */
  readonly synchronization?: Synchronization | undefined;
  /**
   * A client of the official Node SDK that provides the flags, instead of fetching them. Then
   * `synchronization`, `refreshIntervalMs` and the filters have no effect. Usage is still sent to
   * `url`. The official client is started, but not destroyed. @default none
   */
  readonly unleash?: UnleashClient | undefined;
  /** Milliseconds between polls; 0: only one successful poll. @default 15000 */
  readonly refreshIntervalMs?: number | undefined;
  /** Milliseconds between usage reports; 0: no registration and no reports. @default 60000 */
  readonly metricsIntervalMs?: number | undefined;
  /** Maximum random delay added to each interval between usage reports, in milliseconds. @default 0 */
  readonly metricsJitterMs?: number | undefined;
  /** Disables both registration and usage reports. @default false */
  readonly disableMetrics?: boolean | undefined;
  /** Disables registration. @default false */
  readonly disableRegistration?: boolean | undefined;
  /** Only use flags of this project. @default all projects */
  readonly projectName?: string | undefined;
  /** Only use flags whose names start with this prefix. @default all names */
  readonly namePrefix?: string | undefined;
  /**
   * Only request flags with these tags. Then flags are polled, regardless of `synchronization`,
   * because upstreams filter by tags only when polled. @default []
   */
  readonly tags?: readonly Tag[] | undefined;
  /** Headers added to every request to the upstream; they override the token. @default {} */
  readonly customHeaders?: Readonly<Record<string, string>> | undefined;
  /** Called for every request; the returned headers override `customHeaders`. @default none */
  readonly customHeadersFunction?: CustomHeadersFunction | undefined;
  /** Time limit for a whole request in milliseconds. @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** TLS settings. */
  readonly httpOptions?: HttpOptions | undefined;
  /** Proxy for HTTP requests; empty: none. @default the variable `HTTP_PROXY`, or `ALL_PROXY` */
  readonly httpProxy?: string | undefined;
  /** Proxy for HTTPS requests; empty: none. @default the variable `HTTPS_PROXY`, or `ALL_PROXY` */
  readonly httpsProxy?: string | undefined;
  /** Comma-separated hosts, IP addresses and CIDR ranges for which no proxy is used. @default the variable `NO_PROXY` */
  readonly noProxy?: string | undefined;
  /** Flags to use before the first response of the upstream. @default none */
  readonly bootstrap?: BootstrapOptions | undefined;
  /** Stores the last good flags across restarts. @default memory: they do not survive a restart */
  readonly storageProvider?: StorageProvider | undefined;
  /** Custom activation strategies; they override built-in ones of the same name. @default [] */
  readonly strategies?: readonly CustomStrategy[] | undefined;
}
