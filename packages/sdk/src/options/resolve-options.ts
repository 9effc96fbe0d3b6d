import type { CustomStrategy } from "flags-engine";
import { generateInstanceId } from "../host.ts";
import type { StorageProvider } from "../storage/storage-provider.ts";
import { SYNCHRONIZATIONS } from "../sync/synchronizer.ts";
import type { Synchronization } from "../sync/synchronizer.ts";
import { isUnleashClient } from "../sync/unleash-synchronizer.ts";
import type { UnleashClient } from "../sync/unleash-synchronizer.ts";
import type { ConnectionSettings } from "../transport/connections.ts";
import { toBaseUrl } from "../transport/base-url.ts";
import { toHeaderMap } from "../transport/headers.ts";
import type { CredentialSettings, HeaderMap } from "../transport/headers.ts";
import type { FeatureFilters } from "../transport/upstream-api.ts";
import type { FlagsClientOptions } from "./flags-client-options.ts";
import {
  isHeaderRecord,
  isHeadersFunction,
  isHttpUrl,
  isList,
  isProxyUrl,
  isStorageProvider,
  isStrategyList,
  isStringOrStrings,
  isSynchronization,
  isTagList,
  OptionReader,
} from "./option-reader.ts";

const HEADER_RULE = "must be an object of header names and values that HTTP allows";
const URL_RULE = "must be an http or https URL without user name and password";
const SYNCHRONIZATION_RULE = `must be one of ${SYNCHRONIZATIONS.join(", ")}`;
const UNLEASH_RULE = "must be a client of unleash-client 5.5 or later";
const PROXY_RULE = "must be an http or https URL, or empty";

/** Where flags come from before the first response of the upstream. */
export type BootstrapSettings =
  | {
      readonly kind: "data";
      readonly features: readonly unknown[];
      readonly segments: readonly unknown[];
    }
  | { readonly kind: "url"; readonly url: URL; readonly headers: HeaderMap }
  | { readonly kind: "file"; readonly path: string };

/** The validated options of a client, with defaults. */
export interface Settings {
  /** With a trailing slash, so that paths can be resolved against it. */
  readonly url: URL;
  readonly appName: string;
  readonly instanceId: string;
  readonly environment: string;
  readonly synchronization: Synchronization;
  readonly unleash: UnleashClient | undefined;
  readonly refreshIntervalMs: number;
  readonly metricsIntervalMs: number;
  readonly metricsJitterMs: number;
  readonly isMetricsEnabled: boolean;
  readonly isRegistrationEnabled: boolean;
  readonly filters: FeatureFilters;
  readonly credentials: CredentialSettings;
  readonly connection: ConnectionSettings;
  readonly bootstrap: BootstrapSettings | undefined;
  readonly bootstrapOverrides: boolean;
  readonly storageProvider: StorageProvider | undefined;
  readonly strategies: readonly CustomStrategy[];
}

/**
 * Validates options and applies defaults.
 *
 * @throws {TypeError} if options are invalid; the message names all of them
 */
export function resolveOptions(options: FlagsClientOptions): Settings {
  const reader = new OptionReader(options);
  const settings = {
    ...readIdentity(reader),
    ...readMetrics(reader),
    ...readBootstrap(reader.nested("bootstrap")),
    synchronization:
      reader.check("synchronization", isSynchronization, SYNCHRONIZATION_RULE) ?? "polling",
    unleash: reader.check("unleash", isUnleashClient, UNLEASH_RULE),
    refreshIntervalMs: reader.durationMs("refreshIntervalMs") ?? 15_000,
    filters: readFilters(reader),
    credentials: readCredentials(reader),
    connection: readConnection(reader),
    storageProvider: reader.check(
      "storageProvider",
      isStorageProvider,
      "must have the methods get and set",
    ),
    strategies:
      reader.check(
        "strategies",
        isStrategyList,
        "must be a list of objects with a name and an isEnabled function",
      ) ?? [],
  };
  const baseUrl = readUrl(reader);
  reader.rejectUnknown();
  reader.throwProblems();
  return { ...settings, url: toBaseUrl(baseUrl) };
}

function readUrl(reader: OptionReader): string {
  const url = reader.requiredString("url");
  return reader.check("url", isHttpUrl, URL_RULE) ?? url;
}

function readIdentity(
  reader: OptionReader,
): Pick<Settings, "appName" | "instanceId" | "environment"> {
  return {
    appName: reader.requiredString("appName"),
    instanceId: reader.string("instanceId") ?? generateInstanceId(),
    environment: reader.string("environment") ?? "default",
  };
}

type MetricsSettings = Pick<
  Settings,
  "metricsIntervalMs" | "metricsJitterMs" | "isMetricsEnabled" | "isRegistrationEnabled"
>;

function readMetrics(reader: OptionReader): MetricsSettings {
  const metricsIntervalMs = reader.durationMs("metricsIntervalMs") ?? 60_000;
  const isDisabled = reader.boolean("disableMetrics") ?? false;
  const isMetricsEnabled = !isDisabled && metricsIntervalMs > 0;
  const isRegistrationDisabled = reader.boolean("disableRegistration") ?? false;
  return {
    metricsIntervalMs,
    metricsJitterMs: reader.durationMs("metricsJitterMs") ?? 0,
    isMetricsEnabled,
    isRegistrationEnabled: isMetricsEnabled && !isRegistrationDisabled,
  };
}

function readFilters(reader: OptionReader): FeatureFilters {
  return {
    projectName: reader.string("projectName"),
    namePrefix: reader.string("namePrefix"),
    tags: reader.check("tags", isTagList, "must be a list of { name, value }") ?? [],
  };
}

function readCredentials(reader: OptionReader): CredentialSettings {
  const customHeaders = reader.check("customHeaders", isHeaderRecord, HEADER_RULE) ?? {};
  return {
    token: reader.headerText("token"),
    customHeaders: toHeaderMap(customHeaders),
    customHeadersFunction: reader.check(
      "customHeadersFunction",
      isHeadersFunction,
      "must be a function",
    ),
  };
}

function readConnection(reader: OptionReader): ConnectionSettings {
  const http = reader.nested("httpOptions");
  const connection = {
    timeoutMs: reader.durationMs("timeoutMs", 1) ?? 10_000,
    rejectUnauthorized: http.boolean("rejectUnauthorized") ?? true,
    ca: http.check("ca", isStringOrStrings, "must be a string or a list of strings"),
    cert: http.string("cert"),
    key: http.string("key"),
    httpProxy: reader.check("httpProxy", isProxyUrl, PROXY_RULE),
    httpsProxy: reader.check("httpsProxy", isProxyUrl, PROXY_RULE),
    noProxy: reader.string("noProxy"),
  };
  http.rejectUnknown();
  return connection;
}

function readBootstrap(reader: OptionReader): Pick<Settings, "bootstrap" | "bootstrapOverrides"> {
  const features = reader.check("data", isList, "must be a list of flags");
  const segments = reader.check("segments", isList, "must be a list of segments") ?? [];
  const url = reader.check("url", isHttpUrl, URL_RULE);
  const headers = toHeaderMap(reader.check("urlHeaders", isHeaderRecord, HEADER_RULE) ?? {});
  const path = reader.string("filePath");
  const bootstrapOverrides = reader.boolean("override") ?? true;
  reader.rejectUnknown();
  const sources: readonly (BootstrapSettings | undefined)[] = [
    features && { kind: "data", features, segments },
    url === undefined ? undefined : { kind: "url", url: new URL(url), headers },
    path === undefined ? undefined : { kind: "file", path },
  ];
  return { bootstrap: sources.find((source) => source !== undefined), bootstrapOverrides };
}
