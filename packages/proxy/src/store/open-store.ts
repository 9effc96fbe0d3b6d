import { describeRedisAddress } from "./redis/redis-address.ts";
import type { StoreAddress } from "./store-address.ts";
import type { Store } from "./store.ts";

/** The settings of a store. */
export interface StoreConfig {
  readonly address: StoreAddress;
  /** Password of the user, instead of one in the address. */
  readonly password?: string | undefined;
  /** PEM certificates of the authorities to trust. @default those known to Node */
  readonly ca?: readonly string[] | undefined;
}

/** Returns the address for messages, without credentials. */
export function describeStoreAddress({ address }: StoreConfig): string {
  return address.kind === "redis" ? describeRedisAddress(address) : `file:${address.directory}`;
}

/** Whether replicas can share flags through the store. */
export function canShareFlags({ address }: StoreConfig): boolean {
  return address.kind === "redis";
}

/**
 * Opens a store. Rejects only if its code cannot be loaded: a store that is not available fails when it
 * is used.
 *
 * NOTE: implementations are loaded only if they are used, since their libraries slow down the start.
 */
export async function openStore({ address, password, ca }: StoreConfig): Promise<Store> {
  if (address.kind === "redis") {
    const { openRedisStore } = await import("./redis/redis-store.ts");
    return openRedisStore({ address: { ...address, password: password ?? address.password }, ca });
  }
  const { FileStore } = await import("./file-store.ts");
  return new FileStore(address);
}
