import type { RedisHost } from "./redis-address.ts";
import {
  clientOptions,
  connect,
  createNodeClient,
  destroy,
  endOf,
  type RedisClient,
  type RedisOptions,
  socketOptions,
} from "./redis-client.ts";

/** A command with its arguments. */
export type RedisCommand = readonly [string, ...(readonly (string | Buffer)[])];

/**
 * Connections to the server, or the servers of a cluster. A session ends with the first failure of a
 * connection; then a new one must be opened.
 */
export interface RedisSession {
  /** Sends a command to the server with this key. Replies contain strings as buffers. */
  send(key: string, command: RedisCommand): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<void>;
  /** Resolves to the reason when the session has ended. */
  readonly ended: Promise<Error>;
  close(): void;
}

/** Opens a session; rejects if that is not possible, or once the signal is aborted. */
export async function openSession(
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisSession> {
  const { mode, hosts } = options.address;
  if (mode === "cluster") return openCluster(options, signal);
  if (mode === "sentinel") return openSession(await findPrimary(options, signal), signal);
  const [host] = hosts;
  const client = await createNodeClient(host, options);
  const { ended, end } = endOf(client, ["error", "end"]);
  await connect(client, signal);
  return {
    ended,
    send: (_key, command) => client.sendCommand([...command]),
    subscribe: (channel, listener) => client.subscribe(channel, listener),
    close: () => {
      destroy(client);
      end();
    },
  };
}

/** NOTE: keeps no connections that it does not need, since the failure of any of them ends the session. */
async function openCluster(options: RedisOptions, signal: AbortSignal): Promise<RedisSession> {
  const { createCluster } = await import("@redis/client");
  const defaults = { ...(await clientOptions(options)), socket: socketOptions(options) };
  const cluster = createCluster({
    rootNodes: options.address.hosts.map((host) => ({
      ...defaults,
      socket: { ...defaults.socket, ...host },
    })),
    defaults,
    minimizeConnections: true,
  });
  const { ended, end } = endOf(cluster, ["error", "node-error", "node-disconnect"]);
  await connect(cluster, signal);
  return {
    ended,
    send: (key, command) => cluster.sendCommand(key, false, [...command]),
    subscribe: (channel, listener) => cluster.subscribe(channel, listener),
    close: () => {
      destroy(cluster);
      end();
    },
  };
}

/**
 * Queries the Sentinels for the current primary, one after the other. Begins with a random one: if the first ones
 * do not respond, the time is over before the others are queried.
 */
async function findPrimary(options: RedisOptions, signal: AbortSignal): Promise<RedisOptions> {
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

/** Connects without credentials, or with those in the address if the Sentinel requires a login. */
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
