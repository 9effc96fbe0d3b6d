import type { RedisHost } from "./redis-address.ts";
import {
  connect,
  createNodeClient,
  destroy,
  endOf,
  type RedisClient,
  type RedisOptions,
} from "./redis-client.ts";

/**
 * Queries the Sentinels for the current primary, one after the other. Begins with a random one: if the first ones
 * do not respond, the time is over before the others are queried.
 */
export async function findPrimary(
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisOptions> {
  const { address } = options;
  const start = Math.floor(Math.random() * address.hosts.length);
  let failure: unknown;
  for (const sentinel of [...address.hosts.slice(start), ...address.hosts.slice(0, start)]) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the first response counts
      const primary = await querySentinel(sentinel, options, signal);
      return { ...options, address: { ...address, mode: "single", hosts: [primary] } };
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

async function querySentinel(
  sentinel: RedisHost,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisHost> {
  const { primaryName } = options.address;
  const client = await connectSentinel(sentinel, options, signal);
  try {
    const reply: unknown = await client.sendCommand([
      "SENTINEL",
      "GET-MASTER-ADDR-BY-NAME",
      primaryName,
    ]);
    const [host, port] = Array.isArray(reply) ? reply.map(String) : [];
    if (host !== undefined && port !== undefined) return { host, port: Number(port) };
    throw new Error(`The Sentinels monitor no primary with the name ${primaryName}`);
  } finally {
    destroy(client);
  }
}

/** Connects without credentials, or with those of the address if the Sentinel requires some. */
async function connectSentinel(
  sentinel: RedisHost,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisClient> {
  const withDefaults = { ...options, address: { ...options.address, database: 0 } };
  const anonymous = { ...withDefaults.address, user: undefined, password: undefined };
  try {
    return await connectNode(sentinel, { ...options, address: anonymous }, signal);
  } catch (error) {
    if (!String(error).includes("NOAUTH")) throw error;
    return connectNode(sentinel, withDefaults, signal);
  }
}

async function connectNode(
  host: RedisHost,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisClient> {
  const client = await createNodeClient(host, options);
  endOf(client, ["error"]);
  await connect(client, signal);
  return client;
}
