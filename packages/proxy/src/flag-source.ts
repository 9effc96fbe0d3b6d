import {
  createFlagsClient,
  type FlagsClient,
  type FlagsClientOptions,
  type FlagSource,
  isUnleashClient,
  type UnleashClient,
} from "flags-sdk";
import type { Logger } from "flags-server-kit";
import type { ProxyConfig } from "./config/config.ts";

const SOURCE_METHODS = ["start", "close", "on", "off", "reportUsage"] as const;

/** The flag source of an app. */
interface ChosenSource {
  readonly source: FlagSource;
  /** Whether the app created the source and must close it. */
  readonly isOwned: boolean;
}

/**
 * Chooses the flag source of an app: the client that the caller provides, or else a new client of the
 * configured upstream.
 *
 * @throws {TypeError} if the provided client is neither a `FlagSource` nor one of `unleash-client`
 */
export function chooseSource(
  config: ProxyConfig,
  client: FlagSource | UnleashClient | undefined,
): ChosenSource {
  if (client === undefined) return { source: createClient(config), isOwned: true };
  if (isFlagSource(client)) return { source: client, isOwned: false };
  if (isUnleashClient(client)) return { source: createClient(config, client), isOwned: true };
  throw new TypeError(
    "The client cannot be used: pass a FlagSource, for example the result of createFlagsClient() " +
      "of flags-sdk, or an instance of Unleash of unleash-client 5.5 or later",
  );
}

function isFlagSource(client: unknown): client is FlagSource {
  if (typeof client !== "object" || client === null || !("snapshot" in client)) return false;
  return SOURCE_METHODS.every((name) => typeof Reflect.get(client, name) === "function");
}

/**
 * Creates the client of the configured upstream, without starting it.
 *
 * @param unleash a client of the official Node SDK: flags then come from it, not from the upstream
 */
export function createClient(config: ProxyConfig, unleash?: UnleashClient): FlagsClient {
  return createFlagsClient({ ...toClientOptions(config), ...withoutUndefined({ unleash }) });
}

/** Returns the options of a client of the configured upstream. */
export function toClientOptions(config: ProxyConfig): FlagsClientOptions {
  const { bootstrap } = config;
  return {
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
    // NOTE: for an absent setting, the client would read the environment itself.
    httpProxy: config.httpProxy ?? "",
    httpsProxy: config.httpsProxy ?? "",
    noProxy: config.noProxy ?? "",
    ...withoutUndefined({
      environment: config.environment,
      projectName: config.projectName,
      namePrefix: config.namePrefix,
      storageProvider: config.storageProvider,
      bootstrap: bootstrap && { url: bootstrap.url, urlHeaders: bootstrap.headers },
    }),
  };
}

type Defined<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

function withoutUndefined<T extends object>(options: T): Defined<T> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

/** Logs errors, warnings and the first synchronization of a source. Returns a function that stops this. */
export function logSourceEvents(source: FlagSource, logger: Logger): () => void {
  const onError = (error: Error): void => logger.error(error);
  const onWarn = (message: string): void => logger.warn(message);
  const onSynchronized = (origin: "bootstrap" | "upstream"): void =>
    logger.info(
      origin === "bootstrap"
        ? "Started with the flags of the bootstrap, until the upstream responds"
        : "Synchronized with the upstream",
    );
  source.on("error", onError).on("warn", onWarn).on("synchronized", onSynchronized);
  return () => {
    source.off("error", onError).off("warn", onWarn).off("synchronized", onSynchronized);
  };
}
