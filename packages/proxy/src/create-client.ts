import { createFlagsClient, type FlagsClient } from "flags-sdk";
import type { ProxyConfig } from "./config/config.ts";

/** Makes the client with which the proxy follows its upstream. It is not started yet. */
export function createClient(config: ProxyConfig): FlagsClient {
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
    }),
  });
}

type Given<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

function onlyGiven<T extends object>(options: T): Given<T> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}
