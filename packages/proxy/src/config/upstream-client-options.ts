import type { FlagsClientOptions } from "flags-sdk";
import type { ProxyConfig } from "./config.ts";

export function toUpstreamClientOptions(config: ProxyConfig, token: string): FlagsClientOptions {
  const { bootstrap, network } = config;
  const { upstream } = network;
  return {
    url: config.upstreamUrl,
    token,
    appName: config.appName,
    instanceId: config.instanceId,
    environment: config.environment,
    synchronization: config.synchronization,
    refreshIntervalMs: config.refreshIntervalMs,
    metricsIntervalMs: config.metricsIntervalMs,
    metricsJitterMs: config.metricsJitterMs,
    projectName: config.projectName,
    namePrefix: config.namePrefix,
    tags: config.tags,
    strategies: config.customStrategies,
    httpOptions: {
      rejectUnauthorized: config.rejectUnauthorized,
      ca: upstream.ca,
      cert: upstream.cert,
      key: upstream.key,
    },
    customHeaders: upstream.headers,
    timeoutMs: upstream.timeoutMs,
    // NOTE: for an absent setting, the client would read the environment itself.
    httpProxy: config.httpProxy ?? "",
    httpsProxy: config.httpsProxy ?? "",
    noProxy: config.noProxy ?? "",
    storageProvider: config.storageProvider,
    bootstrap: bootstrap && { url: bootstrap.url, urlHeaders: bootstrap.headers },
  };
}
