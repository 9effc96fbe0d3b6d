import type { FastifyReply, FastifyRequest } from "fastify";
import { AUTHENTICATION_LIMITS, GuessLimiter } from "flags-server-kit/neutral";
import type { Caller } from "../access/request-identity.ts";
import { sessionEnded, tooManyGuesses } from "../errors.ts";
import { Batcher } from "../scheduling/batcher.ts";
import type { Actor } from "../storage/events.ts";
import type { Storage } from "../storage/storage.ts";
import {
  isHttps,
  refuseForeignPage,
  refuseOtherPages,
  requireSameOrigin,
} from "./request-origin.ts";
import { readCookies, SESSION_COOKIE, setCookie } from "./session-cookie.ts";
import {
  deleteSession,
  endSession,
  findSessions,
  hashSessionId,
  insertSession,
  listSessions,
  type SessionView,
  type User,
} from "./session-store.ts";

const HOUR_MS = 3_600_000;

interface SessionsOptions {
  /** Address at which browsers reach the service; undefined if it is not known. */
  readonly publicUrl: string | undefined;
  /** How long a user stays signed in. */
  readonly sessionHours: number;
  /** The issuer of OpenID Connect whose users may have sessions. @default none */
  readonly issuer?: string | undefined;
  /** @default the system clock */
  readonly now?: (() => Date) | undefined;
}

const MAX_LOOKUPS = 1000;
const MAX_USER_AGENT_LENGTH = 300;

/** Keeps users of the console signed in, by a cookie. All replicas share the sessions. */
export class Sessions {
  readonly #storage: Storage;
  readonly #publicUrl: string | undefined;
  readonly #issuer: string | undefined;
  readonly #durationMs: number;
  readonly #now: () => Date;
  readonly #guesses = new GuessLimiter(AUTHENTICATION_LIMITS, tooManyGuesses);
  /** NOTE: lookups are not cached, so that a session ends on all replicas at once. */
  readonly #lookup: Batcher<string, Caller | undefined>;

  constructor(storage: Storage, options: SessionsOptions) {
    const { publicUrl, issuer, sessionHours, now } = options;
    this.#storage = storage;
    this.#publicUrl = publicUrl;
    this.#issuer = issuer;
    this.#durationMs = sessionHours * HOUR_MS;
    this.#now = now ?? (() => new Date());
    this.#lookup = new Batcher({
      maxItems: MAX_LOOKUPS,
      run: async (hashes) => {
        const found = await this.findByHash(hashes);
        return hashes.map((hash) => found.get(hash));
      },
    });
  }

  /**
   * Finds who sent a request by its cookie; undefined if it has none.
   *
   * @throws {ApiError} 401 if the session has ended; 403 if a page of another origin has sent the request;
   *   429 if the client has sent too many unknown cookies
   */
  async find(request: FastifyRequest): Promise<Caller | undefined> {
    const id = this.#readId(request);
    if (id === undefined) return undefined;
    if (request.method === "GET" || request.method === "HEAD") refuseOtherPages(request);
    else this.requireSameOrigin(request);
    const caller = await this.#lookUp(request, id);
    if (caller === undefined) throw sessionEnded();
    return caller;
  }

  /**
   * Returns undefined if the session has ended.
   *
   * @throws {ApiError} 429 after too many unknown ids
   */
  async #lookUp({ ip }: FastifyRequest, id: string): Promise<Caller | undefined> {
    const hash = hashSessionId(id);
    if (hash === undefined) return undefined;
    const [found] = await this.#guesses.run(ip, [id], async () => {
      const caller = await this.#lookup.add(hash);
      return caller === undefined ? [] : [{ secret: id, caller }];
    });
    return found?.caller;
  }

  /** Finds the callers with these sessions that have not ended, by the hash of the session. */
  findByHash(hashes: readonly string[]): Promise<ReadonlyMap<string, Caller>> {
    return findSessions(this.#storage.db, hashes, this.#findOptions());
  }

  /**
   * Lists the sessions that have not ended, newest first.
   *
   * @param userId id of a caller @default all users
   */
  list(userId?: string): Promise<readonly SessionView[]> {
    return listSessions(this.#storage.db, this.#findOptions(), userId);
  }

  /** Ends all sessions of a caller but the one of the request, and records that. */
  async endOthers(actor: Actor, { id, sessionHash }: Caller): Promise<void> {
    await this.#storage.write(actor, async (transaction) => {
      const own = await listSessions(transaction.db, this.#findOptions(), id);
      for (const session of own) {
        if (session.id === sessionHash) continue;
        // oxlint-disable-next-line no-await-in-loop -- statements of one transaction
        await endSession(transaction, session.id, this.#findOptions());
      }
    });
  }

  /**
   * Ends a session of any user, and records that.
   *
   * @throws {ApiError} 404 if there is no such session
   */
  async endById(actor: Actor, id: string): Promise<void> {
    await this.#storage.write(actor, (transaction) =>
      endSession(transaction, id, this.#findOptions()),
    );
  }

  #findOptions() {
    return { issuer: this.#issuer, durationMs: this.#durationMs, now: this.#now() };
  }

  /** @throws {ApiError} 403 if the request does not come from a page of this service */
  requireSameOrigin(request: FastifyRequest): void {
    requireSameOrigin(request, this.#publicUrl);
  }

  /** @throws {ApiError} 403 if a page of another origin has sent the request */
  refuseForeignPage(request: FastifyRequest): void {
    refuseForeignPage(request, this.#publicUrl);
  }

  /**
   * Starts a session and sets its cookie. Ends the previous session of the browser, so that nobody
   * continues as another user.
   *
   * @param latestEnd when the session ends at the latest, for example with its token
   * @returns when the session ends
   * @throws {ApiError} 401 if the token or the account of the user has been deleted or disabled in the meantime
   */
  async start(
    request: FastifyRequest,
    reply: FastifyReply,
    { user, latestEnd = null }: { readonly user: User; readonly latestEnd?: Date | null },
  ): Promise<Date> {
    const previous = this.#hashOf(request);
    const createdAt = this.#now();
    const maxEndMs = createdAt.getTime() + this.#durationMs;
    const expiresAt = new Date(Math.min(maxEndMs, latestEnd?.getTime() ?? Infinity));
    const id = await insertSession(this.#storage, user, {
      createdAt,
      expiresAt,
      address: request.ip,
      userAgent: request.headers["user-agent"]?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    });
    if (previous !== undefined) await deleteSession(this.#storage, previous);
    setCookie(reply, SESSION_COOKIE, {
      value: id,
      maxAgeSeconds: (expiresAt.getTime() - createdAt.getTime()) / 1000,
      isHttps: this.isHttps(request),
    });
    return expiresAt;
  }

  /**
   * Ends the session of a request, if it has one, and deletes its cookie.
   *
   * @throws {ApiError} 429 if the client has sent too many unknown cookies: deleting costs a transaction
   */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = await this.#lookUp(request, this.#readId(request) ?? "");
    if (caller?.sessionHash !== undefined) await deleteSession(this.#storage, caller.sessionHash);
    const isHttpsRequest = this.isHttps(request);
    setCookie(reply, SESSION_COOKIE, { value: "", maxAgeSeconds: 0, isHttps: isHttpsRequest });
  }

  /** Whether cookies of the response may be limited to TLS. */
  isHttps(request: FastifyRequest): boolean {
    return isHttps(request, this.#publicUrl);
  }

  /** Returns the hash of the session of a request; undefined if it has none. */
  #hashOf(request: FastifyRequest): string | undefined {
    return hashSessionId(this.#readId(request) ?? "");
  }

  /**
   * Reads our own cookie, the last one that can be an id. NOTE: not another one if its session has ended, or the user
   * would continue as somebody else.
   */
  #readId(request: FastifyRequest): string | undefined {
    const values = readCookies(request, SESSION_COOKIE, this.isHttps(request));
    return values.findLast((value) => hashSessionId(value) !== undefined) ?? values.at(-1);
  }
}
