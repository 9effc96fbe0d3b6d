import { findPrimary } from "./find-primary.ts";
import {
  clientOptions,
  connect,
  createNodeClient,
  destroy,
  endOf,
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
