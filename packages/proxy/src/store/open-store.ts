import type { StoreAddress } from "./store-address.ts";
import type { Store } from "./store.ts";

/** The setting of a store. */
export interface StoreConfig {
  readonly address: StoreAddress;
}

/** Returns the address for messages, without credentials. */
export function describeStoreAddress({ address }: StoreConfig): string {
  return `file:${address.directory}`;
}

/**
 * Opens a store. Rejects only if its code cannot be loaded: a store that is not available fails when it
 * is used.
 *
 * NOTE: implementations are loaded only if they are used, since their libraries slow down the start.
 */
export async function openStore({ address }: StoreConfig): Promise<Store> {
  const { FileStore } = await import("./file-store.ts");
  return new FileStore(address);
}
