import type { Registry } from "prom-client";
import { AccessControl } from "../core/access/access-control.ts";
import type { ProxyConfig } from "../config/config.ts";
import { toUpstreamClientOptions } from "../config/upstream-client-options.ts";
import type { Source } from "../sources/sources.ts";
import { createStore } from "../store/guarded-store.ts";
import { observeKeyStore } from "../metrics/store-metrics.ts";
import type { KeyVerifier } from "../core/access/verified-key.ts";
import type { UpstreamKeyVerifier } from "../upstream-keys/upstream-key-verifier.ts";

interface AccessControlOptions {
  readonly registry: Registry;
  /** Verifies keys, if the upstream does that. @default one that calls the upstream */
  readonly verifier?: KeyVerifier | undefined;
}

/** @throws {ConfigError} if the access file is invalid */
export async function createAccessControl(
  config: ProxyConfig,
  sources: readonly Source[],
  { registry, verifier }: AccessControlOptions,
): Promise<AccessControl> {
  const { accessFile, upstreamKeys, sharedLogger: logger = config.logger } = config;
  const access = new AccessControl(config, sources);
  if (accessFile !== undefined) {
    const { followAccessFile } = await import("../access-file/follow-access-file.ts");
    await followAccessFile(accessFile, access, sources, { ...config, logger });
  }
  // NOTE: last, so that no verifier remains open if something else fails.
  if (upstreamKeys !== undefined) {
    const { UpstreamAccess } = await import("../upstream-keys/upstream-access.ts");
    access.useUpstream(
      new UpstreamAccess({
        verifier: verifier ?? (await startKeyVerifier(config, upstreamKeys, registry)),
        sources,
        keys: access.keys,
        visibility: access.visibility,
        registry,
        logger,
        onRemoved: () => access.notify(),
      }),
    );
  }
  return access;
}

export async function startKeyVerifier(
  config: ProxyConfig,
  times: NonNullable<ProxyConfig["upstreamKeys"]>,
  registry: Registry,
): Promise<UpstreamKeyVerifier> {
  // NOTE: loaded only if needed, so that other proxies start faster.
  const { UpstreamKeyVerifier } = await import("../upstream-keys/upstream-key-verifier.ts");
  const { upstreamUrl, upstreamTokens, logger } = config;
  // NOTE: with a maximum age of 0, stored verifications would never count.
  const isStored = times.maxAgeMs > 0 && config.store !== undefined;
  const store = isStored ? createStore(config.store, logger, "verified keys") : undefined;
  if (store !== undefined) observeKeyStore(registry, store);
  const verifier = new UpstreamKeyVerifier({
    client: toUpstreamClientOptions(config, upstreamTokens[0] ?? ""),
    upstreamUrl,
    upstreamTokens,
    ...times,
    store,
    registry,
    logger,
  });
  verifier.start();
  return verifier;
}
