import { generateInstanceId } from "../host.ts";
import { toBaseUrl } from "../transport/base-url.ts";
import type { ConnectionSettings } from "../transport/connections.ts";
import { toHeaderMap } from "../transport/headers.ts";
import type { CredentialSettings, HeaderMap } from "../transport/headers.ts";
import type { FeatureFilters } from "../transport/upstream-api.ts";
import { checkOptions } from "./check-options.ts";
import type { BootstrapOptions, FlagsClientOptions } from "./flags-client-options.ts";

/** Where flags come from before the first response of the upstream. */
export type BootstrapSettings =
  | {
      readonly kind: "data";
      readonly features: readonly unknown[];
      readonly segments: readonly unknown[];
    }
  | { readonly kind: "url"; readonly url: URL; readonly headers: HeaderMap }
  | { readonly kind: "file"; readonly path: string };

type WithDefaults<Name extends keyof FlagsClientOptions> = {
  readonly [Option in Name]-?: NonNullable<FlagsClientOptions[Option]>;
};

/** The validated options of a client, with defaults. */
export interface Settings
  extends
    WithDefaults<"appName" | "environment" | "instanceId" | "strategies" | "synchronization">,
    WithDefaults<"metricsIntervalMs" | "metricsJitterMs" | "refreshIntervalMs"> {
  /** With a trailing slash, so that paths can be resolved against it. */
  readonly url: URL;
  readonly unleash?: FlagsClientOptions["unleash"];
  readonly isMetricsEnabled: boolean;
  readonly isRegistrationEnabled: boolean;
  readonly filters: FeatureFilters;
  readonly credentials: CredentialSettings;
  readonly connection: ConnectionSettings;
  readonly bootstrap: BootstrapSettings | undefined;
  readonly bootstrapOverrides: boolean;
  readonly storageProvider?: FlagsClientOptions["storageProvider"];
}

const DEFAULTS = {
  environment: "default",
  synchronization: "polling",
  refreshIntervalMs: 15_000,
  metricsIntervalMs: 60_000,
  metricsJitterMs: 0,
  disableMetrics: false,
  disableRegistration: false,
  tags: [],
  customHeaders: {},
  timeoutMs: 10_000,
  bootstrap: {},
  strategies: [],
} satisfies Partial<FlagsClientOptions>;

/** @throws {TypeError} if options are invalid; the message names all of them */
export function resolveOptions(options: FlagsClientOptions): Settings {
  checkOptions(options);
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const defined = Object.fromEntries(set) as FlagsClientOptions;
  const given = { ...DEFAULTS, ...defined } as FlagsClientOptions &
    WithDefaults<keyof typeof DEFAULTS>;
  const { projectName, namePrefix, tags, token, customHeaders, customHeadersFunction } = given;
  const { httpOptions, timeoutMs, httpProxy, httpsProxy, noProxy } = given;
  const isMetricsEnabled = !given.disableMetrics && given.metricsIntervalMs > 0;
  return {
    ...given,
    url: toBaseUrl(given.url),
    instanceId: given.instanceId ?? generateInstanceId(),
    isMetricsEnabled,
    isRegistrationEnabled: isMetricsEnabled && !given.disableRegistration,
    filters: { projectName, namePrefix, tags },
    credentials: { token, customHeaders: toHeaderMap(customHeaders), customHeadersFunction },
    connection: { ...httpOptions, timeoutMs, httpProxy, httpsProxy, noProxy },
    bootstrap: toBootstrap(given.bootstrap),
    bootstrapOverrides: given.bootstrap.override ?? true,
  };
}

function toBootstrap(options: BootstrapOptions): BootstrapSettings | undefined {
  const { data: features, segments = [], url, urlHeaders = {}, filePath: path } = options;
  if (features !== undefined) return { kind: "data", features, segments };
  if (url !== undefined)
    return { kind: "url", url: new URL(url), headers: toHeaderMap(urlHeaders) };
  return path === undefined ? undefined : { kind: "file", path };
}
