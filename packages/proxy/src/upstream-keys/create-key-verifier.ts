import type { Registry } from "prom-client";
import type { ProxyConfig } from "../config/config.ts";
import { toClientOptions } from "../sources.ts";
import type { Store } from "../store/store.ts";
import { UpstreamKeyVerifier } from "./upstream-key-verifier.ts";
import type { KeyVerifier } from "./verified-key.ts";

interface VerifierDependencies {
  readonly registry: Registry;
  /** Keeps verified keys across restarts. @default in memory only */
  readonly store?: Store | undefined;
}

/** Creates and starts the verifier of a process that calls the upstream. */
export function createKeyVerifier(
  config: ProxyConfig,
  { revalidationIntervalMs }: NonNullable<ProxyConfig["upstreamKeys"]>,
  { registry, store }: VerifierDependencies,
): KeyVerifier {
  const { upstreamTokens, logger } = config;
  const verifier = new UpstreamKeyVerifier({
    client: toClientOptions(config, upstreamTokens[0] ?? ""),
    upstreamTokens,
    revalidationIntervalMs,
    registry,
    store,
    logger,
  });
  verifier.start();
  return verifier;
}
