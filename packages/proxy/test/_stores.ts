// The kinds of stores that the contract in stores.test.ts and the tests with processes run with.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "flags-server-kit/command-line";
import { onTestFinished } from "vitest";
import { loadConfig } from "../src/config/load-config.ts";
import type { Store, StoreConfig } from "../src/store/store.ts";
import { MemoryLogger } from "./_proxy.ts";
import { RedisServer, startCluster } from "./_redis.ts";
import { startS3Server } from "./_s3-server.ts";
import type { StoreServer } from "./_store-server.ts";

/** A kind of store, and how to start its server. */
export interface StoreKind {
  readonly name: string;
  /** Whether its server is a process, which can hang. */
  readonly hasProcess: boolean;
  readonly start: () => Promise<StoreServer>;
}

export const STORE_KINDS: readonly StoreKind[] = [
  { name: "file", hasProcess: false, start: startFiles },
  { name: "s3", hasProcess: true, start: startS3Server },
  { name: "Redis", hasProcess: true, start: startRedis },
  {
    name: "Redis Cluster",
    hasProcess: false,
    start: async () => toStoreServer(await startCluster()),
  },
];

async function startRedis(): Promise<StoreServer> {
  const redis = await RedisServer.start();
  return {
    ...toStoreServer(redis),
    freeze: () => redis.freeze(),
    resume: () => redis.resume(),
  };
}

function toStoreServer(servers: { readonly address: string; stop(): Promise<void> }): StoreServer {
  return {
    environment: {},
    createAddress: () => `${servers.address}?prefix=${randomUUID()}:`,
    stop: () => servers.stop(),
  };
}

async function startFiles(): Promise<StoreServer> {
  const directory = await mkdtemp(join(tmpdir(), "flags-store-"));
  return {
    environment: {},
    createAddress: () => `file:${join(directory, randomUUID())}`,
    stop: () => rm(directory, { recursive: true }),
  };
}

const REQUIRED = {
  FLAGS_URL: "http://127.0.0.1:1/api",
  FLAGS_API_TOKEN: "*:production.upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: "some-key",
};

/** Returns the configuration of a store, as the proxy reads it. */
export async function loadStoreConfig(
  address: string,
  environment: Environment = {},
): Promise<StoreConfig> {
  const variables = { ...REQUIRED, ...environment, FLAGS_STORE: address };
  const { store } = await loadConfig({ logger: new MemoryLogger() }, variables);
  if (store === undefined) throw new Error("There is no store");
  return store;
}

/** Opens a store for the duration of a test. */
export async function openTestStore(address: string, environment?: Environment): Promise<Store> {
  const config = await loadStoreConfig(address, environment);
  const store = await config.address.open(config.access);
  onTestFinished(() => store.close());
  return store;
}
