// Clients of the library, configured for sessions that are replaced as a whole when they fail.
//
// NOTE: the library is imported only in functions, since the bundle would load it at every start.

import { abortable } from "flags-sdk/neutral";
import type { RedisAddress, RedisHost } from "./redis-address.ts";

/** How to reach Redis. */
export interface RedisOptions {
  readonly address: RedisAddress;
  /** PEM certificates of the CAs to trust, instead of the default ones. @default those that Node trusts */
  readonly ca?: readonly string[] | undefined;
}

const CONNECT_TIMEOUT_MS = 2000;
/** Without replies, commands must not accumulate. */
const MAX_PENDING_COMMANDS = 1000;

export type RedisClient = Awaited<ReturnType<typeof createNodeClient>>;

/** Creates a client of one server, which must be connected. */
export async function createNodeClient(host: RedisHost | undefined, options: RedisOptions) {
  const { createClient } = await import("@redis/client");
  return createClient({
    ...(await clientOptions(options)),
    database: options.address.database,
    socket: { ...socketOptions(options), ...host },
  });
}

/** NOTE: a failed session is replaced as a whole, so that a hung server or a previous primary is left for good. */
export function socketOptions({ address, ca }: RedisOptions) {
  const common = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const;
  if (!address.isTls) return common;
  return { ...common, tls: true as const, ...(ca !== undefined && { ca: [...ca] }) };
}

export async function clientOptions({ address: { user, password } }: RedisOptions) {
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

interface Connectable extends NodeJS.EventEmitter {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
}

/**
 * Returns a promise of the end of a client, which the first of these events or `end()` resolves.
 *
 * NOTE: an `error` event without a listener would end the process.
 */
export function endOf(
  client: NodeJS.EventEmitter,
  events: readonly string[],
): { readonly ended: Promise<Error>; readonly end: () => void } {
  let end: (cause?: unknown) => void = ignore;
  const ended = new Promise<Error>((resolve) => {
    end = (cause) =>
      resolve(cause instanceof Error ? cause : new Error("The connection was closed"));
  });
  for (const event of events) client.on(event, end);
  return { ended, end: () => end() };
}

function ignore(): void {}

/** NOTE: a client that is destroyed while it connects may never resolve or reject, or may still connect. */
export async function connect(client: Connectable, signal: AbortSignal): Promise<void> {
  const connecting = client.connect();
  try {
    await abortable(connecting, signal);
  } catch (error) {
    destroy(client);
    connecting.then(
      () => destroy(client),
      () => undefined,
    );
    throw error;
  }
}

export function destroy(client: Connectable): void {
  if (client.isOpen) client.destroy();
}
