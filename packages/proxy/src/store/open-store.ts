import { resolve } from "node:path";
import { describeRedisAddress } from "./redis/redis-address.ts";
import { describeS3Address } from "./s3/s3-address.ts";
import type { S3Config } from "./s3/s3-store.ts";
import type { StoreAddress } from "./store-address.ts";
import type { Store } from "./store.ts";

/** The setting of a store, with the settings that only some kinds of stores use. */
export interface StoreConfig {
  readonly address: StoreAddress;
  readonly s3: S3Config;
  /** Redis: password of the user, instead of one in the address. */
  readonly password?: string | undefined;
  /** Redis and S3: PEM certificates of the CAs to trust. @default those that Node trusts */
  readonly ca?: readonly string[] | undefined;
}

/** Returns the address for messages, without credentials. */
export function describeStoreAddress({ address }: Pick<StoreConfig, "address">): string {
  if (address.kind === "s3") return describeS3Address(address);
  if (address.kind === "redis") return describeRedisAddress(address);
  return `file:${resolve(address.directory)}`;
}

/** Whether replicas can share flags through each kind of store. */
const CAN_SHARE: Readonly<Record<StoreAddress["kind"], boolean>> = {
  file: false,
  s3: false,
  redis: true,
};

/** Whether replicas can share flags through the store. */
export function canShareFlags({ address }: Pick<StoreConfig, "address">): boolean {
  return CAN_SHARE[address.kind];
}

/**
 * Opens a store. Rejects only if its code cannot be loaded: a store that is not available fails when it
 * is used.
 *
 * NOTE: implementations are loaded only if they are used, since their libraries slow down the start.
 */
export async function openStore({ address, s3, password, ca }: StoreConfig): Promise<Store> {
  if (address.kind === "s3") {
    const { S3Store } = await import("./s3/s3-store.ts");
    return new S3Store(address, { ...s3, ca });
  }
  if (address.kind === "redis") {
    const { openRedisStore } = await import("./redis/redis-store.ts");
    // NOTE: hundreds of files, which would otherwise be loaded within the time limit of the first connection.
    await import("@redis/client");
    return openRedisStore({ address: { ...address, password: password ?? address.password }, ca });
  }
  const { FileStore } = await import("./file-store.ts");
  return new FileStore(address);
}
