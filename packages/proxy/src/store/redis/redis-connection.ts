import { setTimeout as sleep } from "node:timers/promises";
import { abortable, Deadline } from "flags-sdk/neutral";
import type { RedisAddress } from "./redis-address.ts";
import { openSession } from "./redis-session.ts";
import type { RedisCommand, RedisOptions, RedisSession } from "./redis-session.ts";

/** Maximum time to connect, log in and subscribe. */
const OPEN_TIMEOUT_MS = 5000;

/** A server that has not replied to an aborted command for this long is considered hung. */
const HUNG_AFTER_MS = 400;

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 3000;

/**
 * Replies after which the server can no longer be used: it is not the primary, or not available. Redis 6 reports
 * the error of a command in a script within another one.
 */
const FATAL_REPLIES =
  /^(?:READONLY|LOADING|CLUSTERDOWN|MASTERDOWN|NOAUTH|WRONGPASS|MOVED)\b|-READONLY\b/;

/** A connection that is restored after every failure. Without one, commands fail immediately; none is sent twice. */
export class RedisConnection {
  readonly address: RedisAddress;
  readonly #options: RedisOptions;
  readonly #closing = new AbortController();
  readonly #listeners = new Map<string, Set<() => void>>();
  #session: Promise<RedisSession>;
  #current: RedisSession | undefined;
  readonly #maintained: Promise<void>;

  /** Connects in the background. */
  constructor(options: RedisOptions) {
    this.address = options.address;
    this.#options = options;
    this.#session = this.#open();
    this.#maintained = this.#maintain();
  }

  /**
   * Sends a command to the server with this key. Waits for a connection that is being opened. Replies contain
   * strings as buffers.
   */
  async send(key: string, command: RedisCommand, signal: AbortSignal): Promise<unknown> {
    const session = await abortable(this.#session, signal);
    const sentAtMs = performance.now();
    try {
      return await abortable(session.send(key, command), signal);
    } catch (error) {
      const isHung = signal.aborted && performance.now() - sentAtMs >= HUNG_AFTER_MS;
      if (isHung || (error instanceof Error && FATAL_REPLIES.test(error.message))) session.close();
      throw error;
    }
  }

  /**
   * Calls a function for each message of a channel, and whenever the connection was restored, because messages
   * may have been lost. Returns a function that stops this.
   */
  subscribe(channel: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    // NOTE: a failure ends the session, and the next one subscribes to all channels.
    void this.#current?.subscribe(channel, () => this.#notify(channel)).catch(() => undefined);
    return () => void listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("The connection to Redis was closed"));
    this.#current?.close();
    await this.#maintained;
  }

  async #maintain(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one connection after the other
      const cause = await this.#endOfSession(() => (failures = 0));
      if (signal.aborted) return;
      this.#session = Promise.reject(cause);
      this.#session.catch(() => undefined);
      failures += 1;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await sleep(retryDelayMs(failures), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      this.#session = this.#open();
    }
  }

  /** Resolves to the reason when the session could not be opened or has ended. */
  async #endOfSession(onOpen: () => void): Promise<unknown> {
    try {
      const session = await this.#session;
      onOpen();
      for (const channel of this.#listeners.keys()) this.#notify(channel);
      return await session.ended;
    } catch (error) {
      return error;
    } finally {
      this.#current?.close();
      this.#current = undefined;
    }
  }

  #open(): Promise<RedisSession> {
    const session = this.#openAndSubscribe();
    session.catch(() => undefined);
    return session;
  }

  async #openAndSubscribe(): Promise<RedisSession> {
    const deadline = new Deadline(this.#closing.signal, OPEN_TIMEOUT_MS);
    try {
      const session = await openSession(this.#options, deadline.signal);
      try {
        for (const channel of this.#listeners.keys()) {
          // oxlint-disable-next-line no-await-in-loop -- one per source
          await deadline.race(session.subscribe(channel, () => this.#notify(channel)));
        }
        // NOTE: only now, and in the same tick. Channels that are added before are part of the loop, and later
        // ones use the session.
        this.#current = session;
        return session;
      } catch (error) {
        session.close();
        throw error;
      }
    } finally {
      deadline.clear();
    }
  }

  #notify(channel: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener();
  }
}

function retryDelayMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS) * (0.5 + 0.5 * Math.random());
}
