import { type CustomStrategy, isRecord } from "flags-engine";
import { generateInstanceId } from "../host.ts";
import { MAX_DELAY_MS } from "../scheduling/backoff.ts";
import type { StorageProvider } from "../storage/storage-provider.ts";
import { SYNCHRONIZATIONS } from "../sync/synchronizer.ts";
import type { Synchronization } from "../sync/synchronizer.ts";
import { isUnleashClient } from "../sync/unleash-synchronizer.ts";
import type { UnleashClient } from "../sync/unleash-synchronizer.ts";
import type { ConnectionSettings } from "../transport/connections.ts";
import { toBaseUrl } from "../transport/base-url.ts";
import { isHeaderName, isHeaderValue, toHeaderMap } from "../transport/headers.ts";
import type { CredentialSettings, CustomHeadersFunction, HeaderMap } from "../transport/headers.ts";
import type { FeatureFilters } from "../transport/upstream-api.ts";
import type { FlagsClientOptions, Tag } from "./flags-client-options.ts";
import { OptionReader, type Rule } from "./option-reader.ts";

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
  const metricsIntervalMs = reader.read("metricsIntervalMs", DELAY) ?? 60_000;
  const isDisabled = reader.read("disableMetrics", BOOLEAN) ?? false;
  const isMetricsEnabled = !isDisabled && metricsIntervalMs > 0;
  const isRegistrationDisabled = reader.read("disableRegistration", BOOLEAN) ?? false;
  const bootstrap = reader.nested("bootstrap");
  const settings = {
    appName: reader.readRequired("appName", TEXT),
    instanceId: reader.read("instanceId", TEXT) ?? generateInstanceId(),
    environment: reader.read("environment", TEXT) ?? "default",
    synchronization: reader.read("synchronization", SYNCHRONIZATION) ?? "polling",
    unleash: reader.read("unleash", UNLEASH),
    refreshIntervalMs: reader.read("refreshIntervalMs", DELAY) ?? 15_000,
    metricsIntervalMs,
    metricsJitterMs: reader.read("metricsJitterMs", DELAY) ?? 0,
    isMetricsEnabled,
    isRegistrationEnabled: isMetricsEnabled && !isRegistrationDisabled,
    filters: {
      projectName: reader.read("projectName", TEXT),
      namePrefix: reader.read("namePrefix", TEXT),
      tags: reader.read("tags", TAGS) ?? [],
    },
    credentials: {
      token: reader.read("token", HEADER_TEXT),
      customHeaders: toHeaderMap(reader.read("customHeaders", HEADERS) ?? {}),
      customHeadersFunction: reader.read("customHeadersFunction", HEADERS_FUNCTION),
    },
    connection: readConnection(reader, reader.nested("httpOptions")),
    bootstrap: readBootstrap(bootstrap),
    bootstrapOverrides: bootstrap.read("override", BOOLEAN) ?? true,
    storageProvider: reader.read("storageProvider", STORAGE_PROVIDER),
    strategies: reader.read("strategies", STRATEGIES) ?? [],
  };
  const url = reader.readRequired("url", HTTP_URL);
  bootstrap.rejectUnknown();
  reader.rejectUnknown();
  reader.throwProblems();
  return { ...settings, url: toBaseUrl(url) };
}

function readConnection(reader: OptionReader, http: OptionReader): ConnectionSettings {
  const connection = {
    timeoutMs: reader.read("timeoutMs", TIMEOUT) ?? 10_000,
    rejectUnauthorized: http.read("rejectUnauthorized", BOOLEAN) ?? true,
    ca: http.read("ca", TEXTS),
    cert: http.read("cert", TEXT),
    key: http.read("key", TEXT),
    httpProxy: reader.read("httpProxy", PROXY_URL),
    httpsProxy: reader.read("httpsProxy", PROXY_URL),
    noProxy: reader.read("noProxy", TEXT),
  };
  http.rejectUnknown();
  return connection;
}

/** Returns the first source that is set. */
function readBootstrap(reader: OptionReader): BootstrapSettings | undefined {
  const features = reader.read("data", FLAGS);
  const segments = reader.read("segments", SEGMENTS) ?? [];
  const url = reader.read("url", HTTP_URL);
  const headers = toHeaderMap(reader.read("urlHeaders", HEADERS) ?? {});
  const path = reader.read("filePath", TEXT);
  if (features !== undefined) return { kind: "data", features, segments };
  if (url !== undefined) return { kind: "url", url: new URL(url), headers };
  return path === undefined ? undefined : { kind: "file", path };
}

function rule<Value>(says: string, allows: (value: unknown) => value is Value): Rule<Value> {
  return { says, allows };
}

function delayFrom(minimum: number): Rule<number> {
  return rule(
    `must be a whole number of milliseconds from ${minimum} to ${MAX_DELAY_MS}`,
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= minimum && Number(value) <= MAX_DELAY_MS,
  );
}

const DELAY = delayFrom(0);
const TIMEOUT = delayFrom(1);
const BOOLEAN = rule("must be true or false", (value) => typeof value === "boolean");
const TEXT = rule("must be a string", (value) => typeof value === "string");
const HEADER_TEXT = rule("must be a string of printable ASCII characters", isHeaderValue);
const FLAGS = rule("must be a list of flags", (value) => Array.isArray(value));
const SEGMENTS = rule("must be a list of segments", (value) => Array.isArray(value));
const UNLEASH = rule("must be a client of unleash-client 5.5 or later", isUnleashClient);

const TEXTS = rule(
  "must be a string or a list of strings",
  (value): value is string | readonly string[] =>
    [value].flat().every((text) => typeof text === "string"),
);

const SYNCHRONIZATION = rule(
  `must be one of ${SYNCHRONIZATIONS.join(", ")}`,
  (value): value is Synchronization => SYNCHRONIZATIONS.some((name) => name === value),
);

const HTTP_URL = rule(
  "must be an http or https URL without user name and password",
  (value): value is string => {
    if (typeof value !== "string" || !URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    return /^https?:$/.test(protocol) && username === "" && password === "";
  },
);

/** May contain a user name and a password. */
const PROXY_URL = rule(
  "must be an http or https URL, or empty",
  (value): value is string =>
    value === "" || (typeof value === "string" && URL.canParse(value) && /^https?:/i.test(value)),
);

const HEADERS = rule(
  "must be an object of header names and values that HTTP allows",
  (value): value is Readonly<Record<string, string>> =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) => isHeaderName(name) && isHeaderValue(text)),
);

const HEADERS_FUNCTION = rule(
  "must be a function",
  (value): value is CustomHeadersFunction => typeof value === "function",
);

const TAGS = rule(
  "must be a list of { name, value }",
  (value): value is readonly Tag[] =>
    Array.isArray(value) &&
    value.every((tag) => hasTypes(tag, { name: "string", value: "string" })),
);

const STRATEGIES = rule(
  "must be a list of objects with a name and an isEnabled function",
  (value): value is readonly CustomStrategy[] =>
    Array.isArray(value) &&
    value.every((strategy) => hasTypes(strategy, { name: "string", isEnabled: "function" })),
);

const STORAGE_PROVIDER = rule(
  "must have the methods get and set",
  (value): value is StorageProvider => hasTypes(value, { get: "function", set: "function" }),
);

/** Whether a value is an object whose members have these types. */
function hasTypes(value: unknown, types: Readonly<Record<string, string>>): boolean {
  return (
    isRecord(value) && Object.entries(types).every(([name, type]) => typeof value[name] === type)
  );
}
