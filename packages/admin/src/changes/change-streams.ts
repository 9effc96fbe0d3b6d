import {
  type ClosedStreams,
  type EventStream,
  type HubStream,
  repeat,
  StreamHub,
} from "flags-server-kit/http";
import type { Caller } from "../access/request-identity.ts";
import { findPersonalCallersById } from "../access/personal-tokens.ts";
import { findTokensById } from "../access/token-store.ts";
import { CoalescedTask } from "../scheduling/coalesced-task.ts";
import { ApiError } from "../errors.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { hasRevision } from "../storage/revisions.ts";
import type { Storage } from "../storage/storage.ts";
import { RecentChanges, readChanges } from "./recent-changes.ts";

/** A client that has missed more changes than this reads everything again. */
const MAX_CHANGES = 1000;

/** Consoles that lose their stream at the same time reconnect after a random delay of up to this. */
const MAX_RECONNECT_MS = 5000;

const RETRY_AFTER_SECONDS = 10;

/** An id that no change has: the stream has missed changes. */
const UNKNOWN_ID = -1;

interface ChangeStream extends HubStream {
  /** As of the latest check: roles, and so the projects that exist for the caller, can change. */
  caller: Caller;
  readonly key: string;
  /** Id of the last change that the client has. */
  lastId: number;
}

interface ChangeStreamsOptions {
  readonly storage: Storage;
  readonly sessions: Pick<Sessions, "findByHash">;
  readonly maxStreams: number;
  /** Open streams of one session or token. */
  readonly maxStreamsPerCaller: number;
  /** How often to check for sessions that have ended and for changes whose notification was missed. @default 1000 */
  readonly checkIntervalMs?: number | undefined;
  /** Maximum time between the comments that keep a stream alive. @default 20000 */
  readonly keepAliveMs?: number | undefined;
}

/** Sends every change to the open consoles, and ends the streams of users who are no longer signed in. */
export class ChangeStreams {
  readonly #storage: Storage;
  readonly #sessions: Pick<Sessions, "findByHash">;
  readonly #hub: StreamHub<ChangeStream>;
  readonly #limits: Pick<ChangeStreamsOptions, "maxStreams" | "maxStreamsPerCaller">;
  readonly #check = new CoalescedTask(() => this.#checkStreams());
  readonly #stops: readonly (() => void)[];
  /** Undefined until it is needed. */
  #recent: RecentChanges | undefined;

  constructor(options: ChangeStreamsOptions) {
    const { storage, sessions, maxStreams, maxStreamsPerCaller, keepAliveMs } = options;
    this.#storage = storage;
    this.#sessions = sessions;
    this.#limits = { maxStreams, maxStreamsPerCaller };
    this.#hub = new StreamHub({
      limits: { maxStreams, maxStreamsPerKey: maxStreamsPerCaller },
      update: (stream) => this.#update(stream),
      reconnectDelayMs: () => Math.random() * MAX_RECONNECT_MS,
      keepAliveMs,
    });
    this.#stops = [
      storage.onChange(() => this.#check.request()),
      storage.onReconnect((hasLostChanges) => {
        if (hasLostChanges) this.#startOver();
        this.#check.request();
      }),
      repeat(() => this.#check.request(), options.checkIntervalMs ?? 1000),
    ];
  }

  /** Number of open streams. */
  get size(): number {
    return this.#hub.size;
  }

  get closed(): ClosedStreams {
    return this.#hub.closed;
  }

  /** @throws {ApiError} 503 with `Retry-After` if a limit of streams is reached */
  checkCapacity(caller: Caller): void {
    if (this.#hub.hasCapacity(keyOf(caller)) && this.#hasShare(caller)) return;
    const { maxStreams, maxStreamsPerCaller } = this.#limits;
    throw new ApiError(
      "TooManyStreamsError",
      `Too many change streams are open (at most ${maxStreams} in total, ${maxStreamsPerCaller} per session or token, and for one user half of what others leave free): close other tabs of the console, or try again later`,
      { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
    );
  }

  /** NOTE: a user can have many sessions, and must not exhaust the streams of other users. */
  #hasShare({ id }: Caller): boolean {
    const own = this.#hub.streams().filter(({ caller }) => caller.id === id).length;
    return own < this.#limits.maxStreams - this.#hub.size;
  }

  /**
   * Returns the id of the change from which a client continues. If it has missed changes that are no longer
   * known, the id is one that makes the stream begin with a reset.
   *
   * @param lastEventId the last id that the client has seen; undefined for a new client, null if it is invalid
   */
  async findStart(lastEventId: number | null | undefined): Promise<number> {
    const recent = await this.#refresh();
    if (lastEventId === undefined) return recent.latestId;
    if (lastEventId === null) return UNKNOWN_ID;
    const isKnown =
      recent.since(lastEventId) !== undefined || (await this.#readOlder(recent, lastEventId));
    return isKnown ? lastEventId : UNKNOWN_ID;
  }

  /** Adds a stream that continues after a change. */
  add(caller: Caller, events: EventStream, startId: number): void {
    const stream: ChangeStream = { caller, events, key: keyOf(caller), lastId: startId };
    // An id without data is no event, but the client sends it when it reconnects.
    if (startId !== UNKNOWN_ID) events.write(`id: ${startId}\n\n`);
    this.#hub.add(stream);
    this.#update(stream);
    this.#check.request();
  }

  /** Ends all streams, including those that are added later. */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#hub.close();
  }

  async #checkStreams(): Promise<void> {
    if (this.#hub.size === 0) return;
    await this.#endSignedOut();
    await this.#refresh();
    this.#hub.update(this.#hub.streams());
  }

  /** Reads the changes since the latest known one. Returns the recent ones. */
  async #refresh(): Promise<RecentChanges> {
    const revision = await this.#storage.revision();
    const recent = (this.#recent ??= new RecentChanges(MAX_CHANGES, revision));
    if (revision === recent.latestId) return recent;
    const changes = await readChanges(this.#storage.db, recent.latestId, MAX_CHANGES + 1);
    if (changes.length <= MAX_CHANGES) recent.append(changes);
    else if (recent === this.#recent) this.#recent = new RecentChanges(MAX_CHANGES, revision);
    return this.#recent ?? recent;
  }

  /** Reads the changes after an older one if that still exists and not too many have followed it. */
  async #readOlder(recent: RecentChanges, id: number): Promise<boolean> {
    const { changes, isKnown } = await this.#storage.read(async (db) => ({
      changes: await readChanges(db, id, MAX_CHANGES + 1),
      isKnown: await hasRevision(db, id),
    }));
    if (!isKnown || changes.length > MAX_CHANGES || recent !== this.#recent) return false;
    const extended = new RecentChanges(MAX_CHANGES, id);
    extended.append(changes);
    if (extended.latestId < recent.latestId) return false;
    this.#recent = extended;
    return true;
  }

  #update(stream: ChangeStream): void {
    const { events } = stream;
    if (events.blockedSinceMs !== undefined) return;
    if (this.#recent === undefined || this.#recent.latestId === stream.lastId) return;
    const { latestId } = this.#recent;
    const changes = this.#recent.since(stream.lastId);
    if (changes === undefined) events.send({ name: "reset", id: latestId, data: "{}" });
    else {
      const { projects } = stream.caller;
      const seen = changes.filter(({ project }) => projects.sees(project));
      if (seen.length > 0) events.write(Buffer.concat(seen.map(({ bytes }) => bytes)));
    }
    stream.lastId = latestId;
  }

  /** NOTE: the database lacks changes that the clients have seen, so its ids mean something else now. */
  #startOver(): void {
    this.#recent = undefined;
    for (const stream of this.#hub.streams()) stream.lastId = UNKNOWN_ID;
  }

  async #endSignedOut(): Promise<void> {
    const streams = this.#hub.streams();
    const find = await this.#findCallers(streams.map(({ caller }) => caller));
    for (const stream of streams) {
      const caller = find(stream.caller);
      if (caller === undefined) this.#hub.end(stream, "revoked");
      else stream.caller = caller;
    }
  }

  /** Reads what callers may do now. Returns a function that returns undefined for those who are signed out. */
  async #findCallers(callers: readonly Caller[]) {
    const { db } = this.#storage;
    const withoutSession = callers.filter(({ sessionHash }) => sessionHash === undefined);
    const sessions = await this.#sessions.findByHash(distinct(callers, "sessionHash"));
    const tokens = await findTokensById(db, distinct(withoutSession, "tokenId"));
    const personal = await findPersonalCallersById(db, distinct(withoutSession, "personalTokenId"));
    return (caller: Caller): Caller | undefined => {
      const { sessionHash, personalTokenId, tokenId = "" } = caller;
      if (sessionHash !== undefined) return sessions.get(sessionHash);
      if (personalTokenId !== undefined) return personal.get(personalTokenId);
      return tokens.has(tokenId) ? caller : undefined;
    };
  }
}

/** Returns the values of a property that are not undefined, each once. */
function distinct<Key extends "personalTokenId" | "sessionHash" | "tokenId">(
  callers: readonly Caller[],
  key: Key,
): readonly Exclude<Caller[Key], undefined>[] {
  const values = callers.map((caller) => caller[key]).filter((value) => value !== undefined);
  return [...new Set(values)] as Exclude<Caller[Key], undefined>[];
}

function keyOf({ sessionHash, id }: Caller): string {
  return sessionHash ?? id;
}
