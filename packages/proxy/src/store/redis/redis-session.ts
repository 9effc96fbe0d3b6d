// NOTE: the library is imported only in functions, since the bundle would load it at every start.

import { abortable } from "flags-sdk/neutral";
import type { RedisAddress, RedisHost } from "./redis-address.ts";

/** How to reach Redis. */
export interface RedisOptions {
  readonly address: RedisAddress;
  /** PEM certificates of the CAs to trust. @default those that Node trusts */
  readonly ca?: readonly string[] | undefined;
}

/** A command with its arguments. */
export type RedisCommand = readonly [string, ...(readonly (string | Buffer)[])];

/**
 * Connections to the server, or the servers of a cluster. A session ends with the first failure of a
 * connection; then a new one must be opened.
 */
export interface RedisSession {
  /** Sends a command to the server with this key. Replies contain strings as buffers. */
  send(key: string, command: RedisCommand): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<unknown>;
  /** Resolves to the reason when the session has ended. */
  readonly ended: Promise<Error>;
  close(): void;
}

/** NOTE: without a cause, because logs contain only the message of the innermost one. */
const CLOSED =
  "the server closed the connection: check that it is Redis, and whether FLAGS_STORE must begin with rediss:// for TLS";

const CONNECT_TIMEOUT_MS = 2000;
/** Without replies, commands must not accumulate. */
const MAX_PENDING_COMMANDS = 1000;

/** Opens a session; rejects if that is not possible, or once the signal is aborted. */
export async function openSession(
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisSession> {
  const { mode, hosts } = options.address;
  if (mode === "cluster") return openCluster(options, signal);
  const host = mode === "sentinel" ? await findPrimary(options, signal) : hosts[0];
  return openNode(host, options, signal);
}

async function openNode(
  host: RedisHost | undefined,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisSession> {
  const { createClient } = await import("@redis/client");
  const client = createClient({
    ...(await clientOptions(options)),
    database: options.address.database,
    socket: { ...socketOptions(options), ...host },
  });
  return connect(client, ["error", "end"], signal, (_key, command) =>
    client.sendCommand([...command]),
  );
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
  return connect(cluster, ["error", "node-error", "node-disconnect"], signal, (key, command) =>
    cluster.sendCommand(key, false, [...command]),
  );
}

/** NOTE: a failed session is replaced as a whole, so that a hung server or a previous primary is left for good. */
function socketOptions({ address, ca }: RedisOptions) {
  const common = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const;
  if (!address.isTls) return common;
  return { ...common, tls: true as const, ...(ca !== undefined && { ca: [...ca] }) };
}

async function clientOptions({ address: { user, password } }: RedisOptions) {
  const { RESP_TYPES } = await import("@redis/client");
  return {
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    name: "flags-proxy",
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING_COMMANDS,
    maintNotifications: "disabled",
    commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  } as const;
}

interface Client extends NodeJS.EventEmitter, Pick<RedisSession, "subscribe"> {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
}

/** Connects a client. The first of these events ends the session. */
async function connect(
  client: Client,
  endEvents: readonly string[],
  signal: AbortSignal,
  send: RedisSession["send"],
): Promise<RedisSession> {
  const destroy = (): void => {
    if (client.isOpen) client.destroy();
  };
  let close = destroy;
  const ended = new Promise<Error>((resolve) => {
    const end = (cause?: unknown): void =>
      resolve(cause instanceof Error ? cause : new Error("The connection was closed"));
    // NOTE: an `error` event without a listener would end the process.
    for (const event of endEvents) client.on(event, end);
    close = () => {
      destroy();
      end();
    };
  });
  const connecting = client.connect();
  try {
    await abortable(connecting, signal);
  } catch (error) {
    destroy();
    // NOTE: a client that is destroyed while it connects may never resolve or reject, or may still connect.
    connecting.then(destroy, () => undefined);
    const { SocketClosedUnexpectedlyError } = await import("@redis/client");
    throw error instanceof SocketClosedUnexpectedlyError ? new Error(CLOSED) : error;
  }
  return {
    ended,
    send,
    subscribe: (channel, listener) => client.subscribe(channel, listener),
    close,
  };
}

/**
 * Queries the Sentinels for the current primary, one after the other. Begins with a random one: if the first ones
 * do not respond, the time is over before the others are queried.
 */
async function findPrimary(options: RedisOptions, signal: AbortSignal): Promise<RedisHost> {
  const { hosts } = options.address;
  const start = Math.floor(Math.random() * hosts.length);
  let failure: unknown;
  for (const sentinel of [...hosts.slice(start), ...hosts.slice(0, start)]) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the first response counts
      return await querySentinel(sentinel, options, signal);
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
  const session = await openSentinel(sentinel, options, signal);
  try {
    const command = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", primaryName] as const;
    const reply = await session.send("", command);
    const [host, port] = Array.isArray(reply) ? reply.map(String) : [];
    if (host !== undefined && port !== undefined) return { host, port: Number(port) };
    throw new Error(`The Sentinels monitor no primary with the name ${primaryName}`);
  } finally {
    session.close();
  }
}

/** Connects without credentials, or with those in the address if the Sentinel requires a login. */
async function openSentinel(
  sentinel: RedisHost,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisSession> {
  const address = { ...options.address, database: 0 };
  const anonymous = { ...address, user: undefined, password: undefined };
  try {
    return await openNode(sentinel, { ...options, address: anonymous }, signal);
  } catch (error) {
    if (!String(error).includes("NOAUTH")) throw error;
    return openNode(sentinel, { ...options, address }, signal);
  }
}
