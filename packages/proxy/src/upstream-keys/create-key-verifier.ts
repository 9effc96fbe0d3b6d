import type { Registry } from "prom-client";
import type { ProxyConfig } from "../config/config.ts";
import { toClientOptions } from "../sources.ts";
import { createStore } from "../store/create-storages.ts";
import { UpstreamKeyVerifier } from "./upstream-key-verifier.ts";
import type { KeyVerifier } from "./verified-key.ts";

/** Creates and starts the verifier of a process that calls the upstream. */
export function createKeyVerifier(
  config: ProxyConfig,
  { revalidationIntervalMs }: NonNullable<ProxyConfig["upstreamKeys"]>,
  registry: Registry,
): KeyVerifier {
  const { upstreamUrl, upstreamTokens, store, logger } = config;
  const verifier = new UpstreamKeyVerifier({
    client: toClientOptions(config, upstreamTokens[0] ?? ""),
    upstreamUrl,
    upstreamTokens,
    revalidationIntervalMs,
    store: store && createStore(store, logger),
    registry,
    logger,
  });
  verifier.start();
  return verifier;
}
