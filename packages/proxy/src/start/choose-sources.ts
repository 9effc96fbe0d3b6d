import { join } from "node:path";
import { FlagsClient, type StorageProvider, type UnleashClient } from "flags-sdk";
import { isUnleashClient, type RequestObserver } from "flags-sdk/internal";
import { isRecord } from "flags-server-kit/neutral";
import { nameSetting } from "flags-server-kit";
import type { FlagSource } from "../upstream/flag-source.ts";
import { UpstreamSource } from "../upstream/upstream-source.ts";
import type { UsageSpoolOptions } from "../upstream/usage/upstream-usage.ts";
import { toUpstreamClientOptions } from "../config/upstream-client-options.ts";
import type { ProxyConfig } from "../config/config.ts";
import { SETTINGS } from "../config/settings.ts";
import { FileFlags } from "../files/file-flags.ts";
import type { FlagFile } from "../files/read-flag-file.ts";
import { describeSources } from "../sources/describe-sources.ts";
import { createSources, nameSpoolDirectories, toSource, type Source } from "../sources/sources.ts";
import { createStoredFlags } from "../store/stored-flags.ts";
import { identifySource } from "../store/source-identity.ts";

const SOURCE_METHODS = ["start", "close", "on", "off", "reportUsage"] as const;

export interface ChosenSources {
  readonly sources: readonly Source[];
  /** Whether the app created the sources and must close them. */
  readonly areOwned: boolean;
}

/** @throws {TypeError} if the client cannot be used, or if it is not clear which environment it belongs to */
export function chooseSources(
  config: ProxyConfig,
  client: FlagsClient | FlagSource | UnleashClient | undefined,
): ChosenSources {
  if (client === undefined) return { sources: createConfiguredSources(config), areOwned: true };
  if (config.files !== undefined) {
    throw new TypeError(
      "If you pass a client, flagsUrl must be the URL of an upstream, not of files",
    );
  }
  if (config.upstreamTokens.length > 1) {
    throw new TypeError(
      "If you pass a client, only one upstream token is possible: the client has the flags of one environment",
    );
  }
  const isUsable = client instanceof FlagsClient || isFlagSource(client) || isUnleashClient(client);
  if (config.store !== undefined && isUsable) {
    config.logger.warn(
      `${nameSetting(SETTINGS.store)} has no effect: the client that was passed keeps its own flags`,
    );
  }
  if (client instanceof FlagsClient) {
    const [usageSpool] = spoolsOf(config);
    const create = (): FlagSource => new UpstreamSource(client, { usageSpool });
    return { sources: createSources(config, create), areOwned: true };
  }
  if (isFlagSource(client)) {
    if (config.usageSpool.directory !== undefined) {
      config.logger.warn(
        `${nameSetting(SETTINGS.usageSpool)} has no effect: the client that was passed delivers usage itself`,
      );
    }
    return { sources: createSources(config, () => client), areOwned: false };
  }
  if (isUnleashClient(client)) {
    return { sources: createUnleashSources(config, client), areOwned: true };
  }
  throw new TypeError(
    "The client cannot be used: pass the result of createFlagsClient() of flags-sdk, a FlagSource, or an " +
      "Unleash instance from unleash-client 5.5 or later",
  );
}

function isFlagSource(client: unknown): client is FlagSource {
  if (!isRecord(client) || !("snapshot" in client)) return false;
  return SOURCE_METHODS.every((name) => typeof client[name] === "function");
}

/** Creates a source for each upstream token, or for each file with flags, without starting it. */
export function createConfiguredSources(
  config: ProxyConfig,
  observeRequest?: RequestObserver,
): readonly Source[] {
  const { upstreamTokens, store, files } = config;
  if (files !== undefined) return createFileSources(config, files);
  const isShared = config.sharesFlags && store?.address.canShareFlags === true;
  const names = describeSources(config).map(({ name }) => name);
  const stored = createStoredFlags(config, names);
  const spools = spoolsOf(config);
  const sources = createSources(config, (index) => {
    const storedFlags = stored[index];
    const token = upstreamTokens[index] ?? "";
    const storageProvider = storedFlags ?? storageFor(config, token);
    return new UpstreamSource(
      { ...toUpstreamClientOptions(config, token), storageProvider },
      {
        usageSpool: spools[index],
        openExchange: isShared ? storedFlags && (() => storedFlags.openExchange()) : undefined,
        observeRequest,
      },
    );
  });
  return sources.map((source, index) => {
    const storedFlags = stored[index];
    if (storedFlags === undefined) return source;
    storedFlags.follow(source.flags);
    return { ...source, storedFlags };
  });
}

function createUnleashSources(config: ProxyConfig, unleash: UnleashClient): readonly Source[] {
  const spools = spoolsOf(config);
  return createSources(
    config,
    (index) =>
      new UpstreamSource(
        { ...toUpstreamClientOptions(config, config.upstreamTokens[index] ?? ""), unleash },
        { usageSpool: spools[index] },
      ),
  );
}

function createFileSources(config: ProxyConfig, files: readonly FlagFile[]): readonly Source[] {
  const { customStrategies: strategies, projectName, namePrefix, logger } = config;
  return files.map((file, index) =>
    toSource(
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

function spoolsOf({ usageSpool, upstreamTokens }: ProxyConfig): readonly UsageSpoolOptions[] {
  const { directory, maxBytes } = usageSpool;
  if (directory === undefined) return [];
  return nameSpoolDirectories(upstreamTokens).map((name) => ({
    directory: join(directory, name),
    maxBytes,
  }));
}

/**
 * NOTE: the prefix depends on the token. If it depended on the token's position, a different order would give
 * each source the flags of another one.
 */
function storageFor(config: ProxyConfig, token: string): StorageProvider | undefined {
  const { storageProvider, upstreamTokens } = config;
  if (storageProvider === undefined || upstreamTokens.length === 1) return storageProvider;
  const prefix = `${identifySource({ ...config, token }).id}:`;
  return {
    set: (key, data) => storageProvider.set(prefix + key, data),
    get: (key) => storageProvider.get(prefix + key),
  };
}
