import {
  isToggleUrl,
  streamBodyOf,
  streamEndpointOf,
  toKey,
  type ToggleRequest,
} from "./stream-request.ts";

/** An event with the toggles of a client. */
export interface ToggleEvent {
  readonly data: string;
  readonly lastEventId: string;
}

/** The part of a browser's `EventSource` that a feed uses. */
export interface EventSourceLike {
  readonly readyState: number;
  addEventListener(type: "toggles", listener: (event: ToggleEvent) => void): void;
  addEventListener(type: "error", listener: () => void): void;
  close(): void;
}

/** The constructor of a browser's `EventSource`, or of a replacement outside browsers. */
export type EventSourceConstructor = new (url: string) => EventSourceLike;

/** Values of `EventSource.readyState`. */
const OPEN = 1;
const CLOSED = 2;

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The part of the official client that a feed uses. */
export interface OfficialClient {
  updateToggles(): Promise<void>;
}

/** Options of a `PushFeed`, mainly for use outside browsers. */
export interface PushFeedOptions {
  /** @default `globalThis.fetch` */
  readonly fetch?: Fetch;
  /** @default `globalThis.EventSource` */
  readonly EventSource?: EventSourceConstructor;
  /** Delay before the first retry after a failure, in milliseconds; doubles with each retry. @default 2000 */
  readonly retryDelayMs?: number;
}

type Timer = ReturnType<typeof setTimeout>;

const MAX_RETRY_DELAY_MS = 5 * 60 * 1000;

/**
 * Feeds the official client from a stream. Replaces the `fetch` of the client: while a stream is
 * open, polls return the latest event without a request, and every event makes the client poll.
 * Without a stream, polls are sent as usual.
 *
 * @example
 * const feed = new PushFeed();
 * const client = new UnleashClient({ url, clientKey, appName, fetch: feed.fetch });
 * feed.feed(client);
 * await client.start();
 */
export class PushFeed {
  readonly #fetch: Fetch;
  readonly #EventSource: EventSourceConstructor;
  readonly #retryDelayMs: number;
  #client: OfficialClient | undefined;
  #key: string | undefined;
  #source: EventSourceLike | undefined;
  #latest: ToggleEvent | undefined;
  #timer: Timer | undefined;
  #failures = 0;

  constructor(options: PushFeedOptions = {}) {
    // NOTE: browsers require that `fetch` is called as a function of the global object.
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#EventSource = options.EventSource ?? globalThis.EventSource;
    this.#retryDelayMs = options.retryDelayMs ?? 2000;
  }

  /** Pass this as the option `fetch` of the client. */
  readonly fetch: Fetch = async (url, init = {}) => {
    if (!isToggleUrl(url)) return this.#fetch(url, init);
    const request = { url, headers: init.headers, body: init.body };
    const key = toKey(request);
    if (key !== this.#key) this.#closeStream();
    this.#key = key;
    if (this.#latest !== undefined && this.#source?.readyState === OPEN) {
      return toResponse(this.#latest, init.headers);
    }
    const response = await this.#fetch(url, init);
    if (key === this.#key) this.#openAfterPoll(request, response.status);
    return response;
  };

  /** Makes a client poll whenever an event arrives. @throws {TypeError} if it is none */
  feed(client: OfficialClient): void {
    if (typeof client?.updateToggles !== "function")
      throw new TypeError("`client` must be an UnleashClient of unleash-proxy-client");
    this.#client = client;
  }

  /** Closes the stream. If the client polls again, a new stream is opened. */
  close(): void {
    this.#closeStream();
    this.#key = undefined;
  }

  #openAfterPoll(request: ToggleRequest, status: number): void {
    // The response is newer than the last event of a stream that is reconnecting: open a new stream.
    if (status === 200 && this.#source !== undefined) this.#closeStream();
    const isWanted = this.#source === undefined && this.#timer === undefined;
    if (isWanted && (status === 200 || status === 304)) this.#openLater(request, 0);
  }

  #openLater(request: ToggleRequest, delayMs: number): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      this.#open(request, () => timer === this.#timer).catch(() => this.#retry(request, timer));
    }, delayMs);
    this.#timer = timer;
  }

  async #open(request: ToggleRequest, isWanted: () => boolean): Promise<void> {
    const url = await this.#requestStreamUrl(request);
    if (!isWanted()) return;
    this.#timer = undefined;
    const source = new this.#EventSource(url);
    this.#source = source;
    source.addEventListener("toggles", (event) => {
      if (source === this.#source) this.#receive(event);
    });
    source.addEventListener("error", () => {
      if (source !== this.#source || source.readyState !== CLOSED) return;
      this.#source = undefined;
      this.#retry(request, this.#timer);
    });
  }

  async #requestStreamUrl(request: ToggleRequest): Promise<string> {
    const headers = new Headers(request.headers);
    headers.delete("if-none-match");
    headers.set("accept", "application/json");
    headers.set("content-type", "application/json");
    const endpoint = streamEndpointOf(request);
    const body = streamBodyOf(request);
    const response = await this.#fetch(endpoint, { method: "POST", headers, body });
    if (response.status !== 201)
      throw new Error(`The request for a stream failed with status ${response.status}`);
    const { url } = (await response.json()) as { readonly url: string };
    // The origin in the response may differ from the one that is reachable from here.
    return endpoint + new URL(url).search;
  }

  #receive(event: ToggleEvent): void {
    this.#failures = 0;
    this.#latest = { data: event.data, lastEventId: event.lastEventId };
    void this.#client?.updateToggles();
  }

  /** Opens a stream after a delay that doubles with each failure. Until then the client polls. */
  #retry(request: ToggleRequest, timer: Timer | undefined): void {
    if (timer !== this.#timer) return;
    const delayMs = Math.min(this.#retryDelayMs * 2 ** this.#failures, MAX_RETRY_DELAY_MS);
    this.#failures += 1;
    this.#latest = undefined;
    this.#openLater(request, delayMs * (0.5 + Math.random() / 2));
  }

  #closeStream(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#source?.close();
    this.#source = undefined;
    this.#latest = undefined;
  }
}

/** Returns the event as a response to a poll: a 304 if the client has it already. */
function toResponse({ data, lastEventId }: ToggleEvent, sent: RequestInit["headers"]): Response {
  const headers = { etag: lastEventId, "content-type": "application/json" };
  return new Headers(sent).get("if-none-match") === lastEventId
    ? new Response(null, { status: 304, headers })
    : new Response(data, { headers });
}
