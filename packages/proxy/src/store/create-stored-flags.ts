import type { Logger } from "flags-server-kit/neutral";
import { StoredFlags } from "./stored-flags.ts";
import { GuardedStore } from "./guarded-store.ts";
import type { StoredSource } from "./source-identity.ts";
import type { StoreConfig } from "./store.ts";

interface StorageConfig extends Omit<StoredSource, "token"> {
  readonly upstreamTokens: readonly string[];
  readonly store: StoreConfig | undefined;
  readonly logger: Logger;
}

/**
 * Creates the storage of each source, in the order of the tokens; none if no store is configured.
 *
 * @param names the names of the sources, for messages
 */
export function createStoredFlags(
  config: StorageConfig,
  names: readonly string[],
): readonly StoredFlags[] {
  const { store: storeConfig, upstreamTokens, logger } = config;
  if (storeConfig === undefined) return [];
  const store = createStore(storeConfig, logger);
  return upstreamTokens.map((token, index) => {
    const prefix = upstreamTokens.length === 1 ? "" : `${names[index]}: `;
    return new StoredFlags({
      store,
      source: { ...config, token },
      logger: { warn: (message) => logger.warn(`${prefix}${String(message)}`) },
    });
  });
}

/**
 * Creates the configured store, which the first operation opens.
 *
 * @param content what the store contains, for messages. @default not named
 */
export function createStore(
  { address, access }: StoreConfig,
  logger: Pick<Logger, "warn">,
  content?: string,
): GuardedStore {
  return new GuardedStore({
    address: address.text,
    open: () => address.open(access),
    logger,
    content,
  });
}
