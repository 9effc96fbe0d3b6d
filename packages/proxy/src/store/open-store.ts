import { resolve } from "node:path";
import { describeRedisAddress } from "./redis/redis-address.ts";
import type { RedisOptions } from "./redis/redis-client.ts";
import { describeS3Address, type S3Address } from "./s3/s3-address.ts";
import type { S3Config } from "./s3/s3-store.ts";
import type { DirectoryAddress, StoreAddress } from "./store-address.ts";
import type { Store } from "./store.ts";

/** The address of a store, with the settings that its kind uses. */
export type StoreConfig =
  | { readonly kind: "file"; readonly address: DirectoryAddress }
  | ({ readonly kind: "redis" } & RedisOptions)
  | ({ readonly kind: "s3"; readonly address: S3Address } & S3Config);

/** Returns the address for messages, without credentials. */
export function describeStoreAddress(address: StoreAddress): string {
  switch (address.kind) {
    case "file":
      return `file:${resolve(address.directory)}`;
    case "redis":
      return describeRedisAddress(address);
    case "s3":
      return describeS3Address(address);
    default:
      return address satisfies never;
  }
}

/** Whether replicas can share flags through the store. */
export function canShareFlags({ kind }: Pick<StoreAddress, "kind">): boolean {
  return kind === "redis";
}

/**
 * Opens a store. Rejects only if its code cannot be loaded: a store that is not available fails when it
 * is used.
 *
 * NOTE: implementations are loaded only if they are used, since their libraries slow down the start.
 */
export async function openStore(config: StoreConfig): Promise<Store> {
  switch (config.kind) {
    case "file": {
      const { FileStore } = await import("./file-store.ts");
      return new FileStore(config.address);
    }
    case "redis": {
      const { RedisConnection } = await import("./redis/redis-connection.ts");
      const { RedisStore } = await import("./redis/redis-store.ts");
      // NOTE: hundreds of files, which would otherwise be loaded within the time limit of the first connection.
      await import("@redis/client");
      return new RedisStore(new RedisConnection(config));
    }
    case "s3": {
      const { S3Store } = await import("./s3/s3-store.ts");
      return new S3Store(config.address, config);
    }
    default:
      return config satisfies never;
  }
}
