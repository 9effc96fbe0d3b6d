import type { CustomStrategy } from "flags-engine";
import type { BootstrapOptions } from "../bootstrap/bootstrap-options.ts";
import type { StorageProvider } from "../storage/storage-provider.ts";
import type { Synchronization } from "../sync/synchronizer.ts";
import type { UnleashClient } from "../sync/unleash-client.ts";
import type { CustomHeadersFunction } from "../transport/wire-headers.ts";

/** A tag that a flag must carry. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

/** TLS towards the upstream. */
export interface HttpOptions {
  /** Whether an upstream whose certificate cannot be verified is refused. @default true */
  readonly rejectUnauthorized?: boolean;
  /** Certificates, in PEM, of the only authorities to trust. @default those known to Node */
  readonly ca?: string | readonly string[];
}

/** How a client is set up. `0` and `false` are values like any other. */
export interface FlagsClientOptions {
  /** Address of the upstream API, for instance `https://flags.example.com/api`. */
  readonly url: string;
  /** Name of the application, in the context of every evaluation and in reports upstream. */
  readonly appName: string;
  /** API token for the upstream, sent as `Authorization`. @default none */
  readonly token?: string;
  /** Tells this process from others of the application. @default generated from the host name */
  readonly instanceId?: string;
  /** The `environment` of the context of every evaluation. @default "default" */
  readonly environment?: string;
  /**
   * How to keep up with the upstream: ask for everything (`polling`) or for changes (`delta`) at
   * intervals, or listen to changes (`streaming`). Polling stands in for the others when they do
   * not work. @default "polling"
   */
  readonly synchronization?: Synchronization;
  /**
   * A client of the official Node SDK to take the flags from, instead of fetching them: then
   * `synchronization`, `refreshIntervalMs` and the filters have no effect. Usage is still sent to
   * `url`. The client is started, but not destroyed. @default none
   */
  readonly unleash?: UnleashClient;
  /** Milliseconds between polls; 0: fetch once. @default 15000 */
  readonly refreshIntervalMs?: number;
  /** Milliseconds between usage reports; 0: no registration, no reports. @default 60000 */
  readonly metricsIntervalMs?: number;
  /** Up to so many milliseconds are added to each interval between reports. @default 0 */
  readonly metricsJitterMs?: number;
  /** Neither register nor report usage. @default false */
  readonly disableMetrics?: boolean;
  /** Report usage, but do not register. @default false */
  readonly disableRegistration?: boolean;
  /** Only flags of this project are requested; others are ignored. @default all projects */
  readonly projectName?: string;
  /** Only flags whose names begin with this text are requested; others are ignored. @default all names */
  readonly namePrefix?: string;
  /**
   * Only flags with these tags are requested. Flags are then polled, whatever `synchronization`
   * says: upstreams filter by tags only when they are polled. @default []
   */
  readonly tags?: readonly Tag[];
  /** Headers added to every request to the upstream; they win over the token. @default {} */
  readonly customHeaders?: Readonly<Record<string, string>>;
  /** Called for every request; its headers are added to `customHeaders` and win over them. */
  readonly customHeadersFunction?: CustomHeadersFunction;
  /** Milliseconds that a request may take as a whole. @default 10000 */
  readonly timeoutMs?: number;
  /** TLS settings. */
  readonly httpOptions?: HttpOptions;
  /** Proxy for requests over HTTP; empty: none. @default the variable `HTTP_PROXY` */
  readonly httpProxy?: string;
  /** Proxy for requests over HTTPS; empty: none. @default the variable `HTTPS_PROXY` */
  readonly httpsProxy?: string;
  /** Hosts that are reached without a proxy, separated by commas. @default the variable `NO_PROXY` */
  readonly noProxy?: string;
  /** Flags to start with while the upstream has not answered. @default none */
  readonly bootstrap?: BootstrapOptions;
  /** Keeps the last good flags across restarts. @default memory: nothing is kept */
  readonly storageProvider?: StorageProvider;
  /** Custom activation strategies; they win over built-in ones of the same name. @default [] */
  readonly strategies?: readonly CustomStrategy[];
}
