import {
  createFlagsClient,
  type FlagsClient,
  type FlagSource,
  isUnleashClient,
  type UnleashClient,
} from "flags-sdk";
import type { ProxyConfig } from "./config/config.ts";

const SOURCE_METHODS = ["start", "close", "on", "off", "reportUsage"] as const;

/** Where an app takes its flags from. */
export interface ChosenSource {
  readonly source: FlagSource;
  /** Whether the app made the source, and so has to close it. */
  readonly isOwned: boolean;
}

/**
 * Chooses the source of an app: one of its own, or the client that the application provides.
 *
 * @throws {TypeError} when the provided client is of neither of the two supported kinds
 */
export function chooseSource(
  config: ProxyConfig,
  client: FlagSource | UnleashClient | undefined,
): ChosenSource {
  if (client === undefined) return { source: createClient(config), isOwned: true };
  if (isFlagSource(client)) return { source: client, isOwned: false };
  if (isUnleashClient(client)) return { source: createClient(config, client), isOwned: true };
  throw new TypeError(
    "The client cannot be used: pass a FlagSource, such as createFlagsClient() of flags-sdk " +
      "returns, or an instance of Unleash of unleash-client 5.5 or later",
  );
}

function isFlagSource(client: unknown): client is FlagSource {
  if (typeof client !== "object" || client === null || !("snapshot" in client)) return false;
  return SOURCE_METHODS.every((name) => typeof Reflect.get(client, name) === "function");
}

/**
 * Makes the client with which the proxy follows its upstream. It is not started yet. With a client
 * of the official Node SDK, flags come from there.
 */
export function createClient(config: ProxyConfig, unleash?: UnleashClient): FlagsClient {
  const { bootstrap } = config;
  return createFlagsClient({
    url: config.upstreamUrl,
    token: config.upstreamToken,
    appName: config.appName,
    instanceId: config.instanceId,
    synchronization: config.synchronization,
    refreshIntervalMs: config.refreshIntervalMs,
    metricsIntervalMs: config.metricsIntervalMs,
    metricsJitterMs: config.metricsJitterMs,
    tags: config.tags,
    strategies: config.customStrategies,
    httpOptions: { rejectUnauthorized: config.rejectUnauthorized },
    // NOTE: the client would look into the environment itself for a setting that is absent.
    httpProxy: config.httpProxy ?? "",
    httpsProxy: config.httpsProxy ?? "",
    noProxy: config.noProxy ?? "",
    ...onlyGiven({
      environment: config.environment,
      projectName: config.projectName,
      namePrefix: config.namePrefix,
      storageProvider: config.storageProvider,
      bootstrap: bootstrap && { url: bootstrap.url, urlHeaders: bootstrap.headers },
      unleash,
    }),
  });
}

type Given<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

function onlyGiven<T extends object>(options: T): Given<T> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}
