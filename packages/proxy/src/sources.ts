import { join } from "node:path";
import {
  createFlagsClient,
  FlagsClient,
  type FlagsClientOptions,
  type FlagExchange,
  type FlagSource,
  isUnleashClient,
  type RequestObserver,
  type SharingRole,
  type StorageProvider,
  type UnleashClient,
  type UsageSpoolOptions,
} from "flags-sdk";
import { type Logger, nameSetting } from "flags-server-kit";
import { FileFlags } from "./files/file-flags.ts";
import type { FlagFile } from "./files/read-flag-file.ts";
import { scopesOf, type TokenScope } from "./token-scope.ts";
import type { ProxyConfig, UsageSpoolConfig } from "./config/config.ts";
import { SETTINGS } from "./config/settings.ts";
import { createStorages } from "./store/create-storages.ts";
import { canShareFlags } from "./store/open-store.ts";
import type { FlagStorage } from "./store/flag-storage.ts";

const SOURCE_METHODS = ["start", "close", "on", "off", "reportUsage"] as const;

/** One upstream environment that the proxy serves. */
export interface UpstreamSource {
  /** For logs and metrics: the environment, numbered if several sources have the same one. */
  readonly name: string;
  /** Environment and project of its token; undefined if the token does not say. */
  readonly scope: TokenScope | undefined;
  readonly flags: FlagSource;
  /** The last failed request for its flags, if any. Its flags may be available nevertheless. */
  readonly lastFailure: () => SourceFailure | undefined;
  /** Calls a function whenever a request to the upstream has failed. */
  readonly onFailure: (listener: () => void) => void;
  /** Keeps its flags in a store. Undefined without a store, and in workers. */
  readonly storage?: FlagStorage;
}

/** A failed request for flags. */
export interface SourceFailure {
  /** NOTE: may contain secrets, as errors do. */
  readonly message: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** The name of the only source of a proxy whose token names no environment. */
const DEFAULT_NAME = "default";

type Upstreams = Pick<ProxyConfig, "upstreamTokens" | "files">;

/** Returns the names and scopes of the sources, in order. */
export function describeSources(
  upstreams: Upstreams,
): readonly Pick<UpstreamSource, "name" | "scope">[] {
  const counts = new Map<string, number>();
  return scopesOf(upstreams).map(({ scope }) => {
    const name = scope?.environment ?? DEFAULT_NAME;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { name: count === 1 ? name : `${name}-${count}`, scope };
  });
}

/**
 * Creates one source per upstream token, or per file with flags.
 *
 * @param createFlags creates the flags of the source with this index
 */
export function createSources(
  upstreams: Upstreams,
  createFlags: (index: number, name: string) => FlagSource,
): readonly UpstreamSource[] {
  return describeSources(upstreams).map((source, index) =>
    toUpstreamSource(createFlags(index, source.name), source),
  );
}

/** Describes a source. @default a name for a source whose environment is unknown */
export function toUpstreamSource(
  flags: FlagSource,
  { name, scope }: Pick<UpstreamSource, "name" | "scope"> = {
    name: DEFAULT_NAME,
    scope: undefined,
  },
): UpstreamSource {
  let lastFailure: SourceFailure | undefined;
  const onFailure = (listener: (error: Error) => void): void => {
    if (flags instanceof FlagsClient) flags.on("failure", listener);
    else flags.on("error", listener);
  };
  onFailure(({ message }) => {
    lastFailure = { message, atMs: Date.now() };
  });
  return { name, scope, flags, lastFailure: () => lastFailure, onFailure };
}

/** The sources of an app. */
export interface ChosenSources {
  readonly sources: readonly UpstreamSource[];
  /** Whether the app created the sources and must close them. */
  readonly areOwned: boolean;
}

/**
 * Chooses the sources of an app: the client that the caller provides, or else a new client for each
 * configured upstream token.
 *
 * @throws {TypeError} if the provided client is neither a `FlagSource` nor one of `unleash-client`, or if
 *   there are several tokens, so that it is not clear which environment the client belongs to
 */
export function chooseSources(
  config: ProxyConfig,
  client: FlagSource | UnleashClient | undefined,
): ChosenSources {
  if (client === undefined) return { sources: createClients(config), areOwned: true };
  if (config.files !== undefined) {
    throw new TypeError(
      "With a client of the caller, flagsUrl must be the address of an upstream, not of files",
    );
  }
  if (config.upstreamTokens.length > 1) {
    throw new TypeError(
      "With a client of the caller, only one upstream token is possible: the client has the flags of one environment",
    );
  }
  const one = (flags: FlagSource): readonly UpstreamSource[] => createSources(config, () => flags);
  if (config.store !== undefined && (isFlagSource(client) || isUnleashClient(client))) {
    config.logger.warn(
      `${nameSetting(SETTINGS.store)} has no effect: the client of the caller keeps its own flags`,
    );
  }
  if (isFlagSource(client)) {
    if (config.usageSpool.directory !== undefined) {
      config.logger.warn(
        `${nameSetting(SETTINGS.usageSpool)} has no effect: create the client with the option usageSpool`,
      );
    }
    return { sources: one(client), areOwned: false };
  }
  if (isUnleashClient(client)) {
    const [token = ""] = config.upstreamTokens;
    const [{ name } = { name: DEFAULT_NAME }] = describeSources(config);
    const usageSpool = spoolOf(config.usageSpool, name);
    const flags = createClient(config, { token, unleash: client, usageSpool });
    return { sources: one(flags), areOwned: true };
  }
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
 * Creates a client for each upstream token, or for each file with flags, without starting it.
 *
 * @param observeRequest called for every request to the upstream
 */
export function createClients(
  config: ProxyConfig,
  observeRequest?: RequestObserver,
): readonly UpstreamSource[] {
  const { upstreamTokens, storageProvider, store, files } = config;
  if (files !== undefined) return createFileSources(config, files);
  const isShared = config.sharesFlags && store !== undefined && canShareFlags(store);
  const names = describeSources(config).map(({ name }) => name);
  const storages = createStorages(config, names);
  const sources = createSources(config, (index, name) => {
    const token = upstreamTokens[index] ?? "";
    const usageSpool = spoolOf(config.usageSpool, name);
    const storage = storages[index];
    if (storage !== undefined) {
      const exchange = isShared ? storage.createExchange() : undefined;
      const stored = { ...config, storageProvider: storage };
      return createClient(stored, { token, usageSpool, exchange, observeRequest });
    }
    if (upstreamTokens.length === 1) {
      return createClient(config, { token, usageSpool, observeRequest });
    }
    const prefixed = storageProvider && new PrefixedStorage(storageProvider, `${name}:`);
    return createClient(
      { ...config, storageProvider: prefixed },
      { token, usageSpool, observeRequest },
    );
  });
  return sources.map((source, index) => {
    const storage = storages[index];
    if (storage === undefined) return source;
    storage.follow(source.flags);
    return { ...source, storage };
  });
}

/** Closes sources, which sends the pending usage and stores the last flags, and then their store. */
export async function closeSources(sources: readonly UpstreamSource[]): Promise<void> {
  await Promise.all(sources.map(({ flags }) => flags.close()));
  const storages = sources.flatMap(({ storage }) => storage ?? []);
  await Promise.all(storages.map((storage) => storage.close()));
  await storages[0]?.store.close();
}

function createFileSources(
  config: ProxyConfig,
  files: readonly FlagFile[],
): readonly UpstreamSource[] {
  const { customStrategies: strategies, projectName, namePrefix, logger } = config;
  return files.map((file, index) =>
    toUpstreamSource(
      new FileFlags({
        file,
        logger,
        strategies,
        projectName,
        namePrefix,
        watchesDirectory: index === 0,
      }),
      describeSources(config)[index],
    ),
  );
}

/** Returns the spool of a source, whose usage must be delivered to its environment. */
function spoolOf(
  { directory, maxBytes }: UsageSpoolConfig,
  sourceName: string,
): UsageSpoolOptions | undefined {
  if (directory === undefined) return undefined;
  return { directory: join(directory, encodeSourceName(sourceName)), maxBytes };
}

/** Returns the name of a source as the name of a folder. */
export function encodeSourceName(name: string): string {
  return encodeURIComponent(name);
}

/** Keeps the flags of several sources apart in one storage. */
class PrefixedStorage implements StorageProvider {
  readonly #provider: StorageProvider;
  readonly #prefix: string;

  constructor(provider: StorageProvider, prefix: string) {
    this.#provider = provider;
    this.#prefix = prefix;
  }

  set(key: string, data: unknown): Promise<void> {
    return this.#provider.set(this.#prefix + key, data);
  }

  get(key: string): Promise<unknown> {
    return this.#provider.get(this.#prefix + key);
  }
}

interface ClientOptions {
  readonly token: string;
  /** A client of the official Node SDK: flags then come from it, not from the upstream. */
  readonly unleash?: UnleashClient;
  /** Lets replicas share the flags. */
  readonly exchange?: FlagExchange | undefined;
  readonly observeRequest?: RequestObserver | undefined;
  readonly usageSpool: UsageSpoolOptions | undefined;
}

function createClient(config: ProxyConfig, { token, ...others }: ClientOptions): FlagsClient {
  return createFlagsClient({ ...toClientOptions(config, token), ...withoutUndefined(others) });
}

/** Returns the options of a client of the configured upstream. */
export function toClientOptions(config: ProxyConfig, token: string): FlagsClientOptions {
  const { bootstrap, network } = config;
  const { upstream } = network;
  return {
    url: config.upstreamUrl,
    token,
    appName: config.appName,
    instanceId: config.instanceId,
    synchronization: config.synchronization,
    refreshIntervalMs: config.refreshIntervalMs,
    metricsIntervalMs: config.metricsIntervalMs,
    metricsJitterMs: config.metricsJitterMs,
    tags: config.tags,
    strategies: config.customStrategies,
    httpOptions: {
      rejectUnauthorized: config.rejectUnauthorized,
      ...withoutUndefined({ ca: upstream.ca, cert: upstream.cert, key: upstream.key }),
    },
    customHeaders: upstream.headers,
    timeoutMs: upstream.timeoutMs,
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

/**
 * Logs errors, warnings and the first synchronization of sources; with several sources, each message
 * names its source. Returns a function that stops this.
 */
export function logSourceEvents(sources: readonly UpstreamSource[], logger: Logger): () => void {
  const stops = sources.map((source) =>
    logEvents(source, logger, sources.length === 1 ? "" : `${source.name}: `),
  );
  return () => stops.forEach((stop) => stop());
}

const ROLE_MESSAGES: Readonly<Record<SharingRole, string>> = {
  holder: "This replica follows the upstream, and shares its flags with the others",
  follower: "Another replica follows the upstream, and shares its flags with this one",
  alone: "This replica follows the upstream for itself",
};

function logEvents(
  { flags, storage }: Pick<UpstreamSource, "flags" | "storage">,
  logger: Logger,
  prefix: string,
): () => void {
  let isSynchronized = false;
  const onError = (error: Error): void => {
    if (prefix === "") logger.error(error);
    else logger.error(`${prefix}${error.message}`, error);
  };
  const onWarn = (message: string): void => logger.warn(prefix + message);
  const onSynchronized = (origin: "bootstrap" | "upstream"): void => {
    isSynchronized = true;
    // A file is logged each time it is read.
    if (flags.origin === "file") return;
    logger.info(
      prefix +
        (origin === "bootstrap"
          ? "Started with the flags of the bootstrap, until the upstream responds"
          : "Synchronized with the upstream"),
    );
  };
  // NOTE: stored flags do not count as synchronized. Those of another replica are logged with the role.
  const onReady = (): void => {
    if (isSynchronized || storage === undefined || flags.origin !== "store") return;
    logger.info(
      `${prefix}Started with the flags of the store, which the upstream confirmed ${storage.describeAge()}`,
    );
  };
  flags.on("error", onError).on("warn", onWarn).on("synchronized", onSynchronized);
  flags.on("ready", onReady);
  const onRole = (role: SharingRole): void => logger.info(prefix + ROLE_MESSAGES[role]);
  if (flags instanceof FlagsClient) flags.on("role", onRole);
  return () => {
    if (flags instanceof FlagsClient) flags.off("role", onRole);
    flags.off("error", onError).off("warn", onWarn).off("synchronized", onSynchronized);
    flags.off("ready", onReady);
  };
}
