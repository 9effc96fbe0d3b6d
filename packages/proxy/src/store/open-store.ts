import { resolve } from "node:path";
import { describeS3Address } from "./s3/s3-address.ts";
import type { S3Config } from "./s3/s3-store.ts";
import type { StoreAddress } from "./store-address.ts";
import type { Store } from "./store.ts";

/** The setting of a store, with the settings that only some kinds of stores use. */
export interface StoreConfig {
  readonly address: StoreAddress;
  readonly s3: S3Config;
}

/** Returns the address for messages, without credentials. */
export function describeStoreAddress({ address }: Pick<StoreConfig, "address">): string {
  return address.kind === "s3" ? describeS3Address(address) : `file:${resolve(address.directory)}`;
}

/**
 * Opens a store. Rejects only if its code cannot be loaded: a store that is not available fails when it
 * is used.
 *
 * NOTE: implementations are loaded only if they are used, since their libraries slow down the start.
 */
export async function openStore({ address, s3 }: StoreConfig): Promise<Store> {
  if (address.kind === "s3") {
    const { S3Store } = await import("./s3/s3-store.ts");
    return new S3Store(address, s3);
  }
  const { FileStore } = await import("./file-store.ts");
  return new FileStore(address);
}
