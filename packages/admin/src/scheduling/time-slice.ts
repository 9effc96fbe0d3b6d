import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { ApiError } from "../errors.ts";

/** How long a loop can delay other requests. */
const SLICE_MS = 5;

/** Divides a long loop, so that other requests run in between. */
export class TimeSlice {
  #endMs = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Resolves once other requests have run. */
  async startNext(): Promise<void> {
    await setImmediate();
    this.#endMs = performance.now() + SLICE_MS;
  }
}

/** The connection of a client. */
export type Connection = Pick<Socket, "destroyed">;

/**
 * Lets callers continue one at a time, while other requests run in between. Requests that wait for the same result of
 * the database would otherwise all continue at once.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Resolves when it is the turn of the caller, whose turn lasts until it waits for something else.
   *
   * @param connection of the client that the caller works for
   * @throws {ApiError} if the connection was closed meanwhile: its work would only delay the work for others
   */
  async next(connection: Connection): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    await this.#last;
    checkConnected(connection);
  }
}

/** Runs tasks one at a time. For tasks that use much memory, or block other requests while they compute. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs a task after those that were added before.
   *
   * @param connection of the client that the task works for
   * @throws {ApiError} if the connection was closed meanwhile: the task does not run
   */
  async run<T>(connection: Connection, task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      checkConnected(connection);
      return task();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}

function checkConnected({ destroyed }: Connection): void {
  if (destroyed) throw new ApiError("RequestTimeoutError", "The client has disconnected");
}
