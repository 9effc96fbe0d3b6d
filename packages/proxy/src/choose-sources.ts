import { type FlagSource, isUnleashClient, type UnleashClient } from "flags-sdk";
import { isRecord, nameSetting } from "flags-server-kit";
import type { ProxyConfig } from "./config/config.ts";
import { SETTINGS } from "./config/settings.ts";
import { createConfiguredSources, createUnleashSources } from "./configured-sources.ts";
import { createSources, type UpstreamSource } from "./sources.ts";

const SOURCE_METHODS = ["start", "close", "on", "off", "reportUsage"] as const;

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
  if (config.store !== undefined && (isFlagSource(client) || isUnleashClient(client))) {
    config.logger.warn(
      `${nameSetting(SETTINGS.store)} has no effect: the client that was passed keeps its own flags`,
    );
  }
  if (isFlagSource(client)) {
    if (config.usageSpool.directory !== undefined) {
      config.logger.warn(
        `${nameSetting(SETTINGS.usageSpool)} has no effect: create the client with the option usageSpool`,
      );
    }
    return { sources: createSources(config, () => client), areOwned: false };
  }
  if (isUnleashClient(client)) {
    return { sources: createUnleashSources(config, client), areOwned: true };
  }
  throw new TypeError(
    "The client cannot be used: pass a FlagSource, for example the result of createFlagsClient() " +
      "of flags-sdk, or an instance of Unleash of unleash-client 5.5 or later",
  );
}

function isFlagSource(client: unknown): client is FlagSource {
  if (!isRecord(client) || !("snapshot" in client)) return false;
  return SOURCE_METHODS.every((name) => typeof client[name] === "function");
}
