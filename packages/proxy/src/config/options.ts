import type { OptionTypes } from "./settings.ts";

// `npm run build` adds the comments of options to the published types: see scripts/write-option-types.mjs.

/** Full names of all options: options in a group have the group as a prefix, separated by a dot. */
export type OptionName = keyof OptionTypes;

type Options<Prefix extends string> = {
  readonly [
    Name in OptionName as Name extends `${Prefix}${infer Rest}`
      ? Exclude<Rest, `${string}.${string}`>
      : never
  ]?: OptionTypes[Name] | undefined;
};

/** Cross-origin rules. Lists may be given as arrays or as comma-separated text. */
export type CorsOptions = Options<"cors.">;

/** Streams to clients. */
export type PushOptions = Options<"push.">;

/** Tokens that the upstream has issued, as keys of clients. */
export type UpstreamKeysOptions = Options<"upstreamKeys.">;

/** Connections to the upstream. */
export type HttpOptions = Options<"httpOptions.">;

/** TLS for clients. Has no effect on `createApp()`. */
export type TlsOptions = Options<"tls.">;

/** A separate port for metrics and operations. Has no effect on `createApp()`. */
export type ManagementOptions = Options<"management.">;

/** Experimental: the source of flags until the upstream responds. */
export type BootstrapOptions = Options<"expBootstrap.">;

/** Serving definitions to server SDKs and other proxies. */
export type ServerSideSdkOptions = Options<"expServerSideSdkConfig.">;

/**
 * Options of the proxy. An option takes precedence over its environment variable, which takes
 * precedence over the default. `0`, `false` and an empty list are values; `undefined` is not. Text is read as in a
 * variable.
 */
export interface ProxyOptions extends Options<""> {
  /** Cross-origin rules. */
  readonly cors?: CorsOptions | undefined;
  /** Streams to clients. */
  readonly push?: PushOptions | undefined;
  /** Tokens that the upstream has issued, as keys of clients. */
  readonly upstreamKeys?: UpstreamKeysOptions | undefined;
  /** Connections to the upstream. */
  readonly httpOptions?: HttpOptions | undefined;
  /** TLS for clients. */
  readonly tls?: TlsOptions | undefined;
  /** A separate port for metrics and operations. */
  readonly management?: ManagementOptions | undefined;
  /** Experimental: the source of flags until the upstream responds. */
  readonly expBootstrap?: BootstrapOptions | undefined;
  /** Serving definitions to server SDKs and other proxies. */
  readonly expServerSideSdkConfig?: ServerSideSdkOptions | undefined;
  /** @deprecated Use `flagsUrl`. */
  readonly unleashUrl?: string | undefined;
  /** @deprecated Use `flagsApiToken`. */
  readonly unleashApiToken?: string | readonly string[] | undefined;
  /** @deprecated Use `flagsAppName`. */
  readonly unleashAppName?: string | undefined;
  /** @deprecated Use `flagsInstanceId`. */
  readonly unleashInstanceId?: string | undefined;
}
