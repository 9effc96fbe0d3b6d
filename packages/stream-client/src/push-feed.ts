import {
  CLOSED,
  type EventSourceConstructor,
  type EventSourceLike,
  OPEN,
  type ToggleEvent,
} from "./event-source.ts";
import { asksForToggles, type Question, streamBodyOf, streamUrlOf, toKey } from "./question.ts";

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The part of the official client that is used. */
export interface FedClient {
  updateToggles(): Promise<void>;
}

/** Where there is no browser, or another one. */
export interface PushFeedOptions {
  /** @default the one of the browser */
  readonly fetch?: Fetch;
  /** @default the one of the browser */
  readonly EventSource?: EventSourceConstructor;
  /** Milliseconds before the first new attempt after a failure; later ones take longer. @default 2000 */
  readonly retryDelayMs?: number;
}

type Timer = ReturnType<typeof setTimeout>;

const MAX_RETRY_DELAY_MS = 5 * 60 * 1000;

/**
 * Feeds the official client from a stream. It stands in for the `fetch` of the client: while a
 * stream is open, polls are answered from what it brought last, and each change makes the client
 * poll. While there is none, polls go to the network as ever.
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
  #client: FedClient | undefined;
  #key: string | undefined;
  #source: EventSourceLike | undefined;
  #latest: ToggleEvent | undefined;
  #timer: Timer | undefined;
  #failures = 0;

  constructor(options: PushFeedOptions = {}) {
    // NOTE: called as methods of nothing, browsers refuse both.
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#EventSource = options.EventSource ?? globalThis.EventSource;
    this.#retryDelayMs = options.retryDelayMs ?? 2000;
  }

  /** For the option `fetch` of the client. */
  readonly fetch: Fetch = async (url, init = {}) => {
    if (!asksForToggles(url)) return this.#fetch(url, init);
    const question = { url, headers: init.headers, body: init.body };
    const key = toKey(question);
    if (key !== this.#key) this.#leave();
    this.#key = key;
    if (this.#latest !== undefined && this.#source?.readyState === OPEN) {
      return answerWith(this.#latest, init.headers);
    }
    const response = await this.#fetch(url, init);
    if (key === this.#key) this.#consider(question, response.status);
    return response;
  };

  /** Has a client told of changes. */
  feed(client: FedClient): void {
    this.#client = client;
  }

  /** Ends the stream. A client that polls after that is fed again. */
  close(): void {
    this.#leave();
    this.#key = undefined;
  }

  #consider(question: Question, status: number): void {
    // The network knows better than a stream that is about to return: begin a new one.
    if (status === 200 && this.#source !== undefined) this.#leave();
    const isWanted = this.#source === undefined && this.#timer === undefined;
    if (isWanted && (status === 200 || status === 304)) this.#openLater(question, 0);
  }

  #openLater(question: Question, delayMs: number): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      this.#open(question, () => timer === this.#timer).catch(() => this.#fail(question, timer));
    }, delayMs);
    this.#timer = timer;
  }

  async #open(question: Question, isWanted: () => boolean): Promise<void> {
    const address = await this.#address(question);
    if (!isWanted()) return;
    this.#timer = undefined;
    const source = new this.#EventSource(address);
    this.#source = source;
    source.addEventListener("toggles", (event) => {
      if (source === this.#source) this.#take(event);
    });
    source.addEventListener("error", () => {
      if (source !== this.#source || source.readyState !== CLOSED) return;
      this.#source = undefined;
      this.#fail(question, this.#timer);
    });
  }

  async #address(question: Question): Promise<string> {
    const headers = new Headers(question.headers);
    headers.delete("if-none-match");
    headers.set("accept", "application/json");
    headers.set("content-type", "application/json");
    const asked = streamUrlOf(question);
    const body = streamBodyOf(question);
    const response = await this.#fetch(asked, { method: "POST", headers, body });
    if (response.status !== 201) throw new Error(`No stream: ${response.status}`);
    const { url } = (await response.json()) as { readonly url: string };
    // Only we know how the proxy is reached from here.
    return asked + new URL(url).search;
  }

  #take(event: ToggleEvent): void {
    this.#failures = 0;
    this.#latest = { data: event.data, lastEventId: event.lastEventId };
    void this.#client?.updateToggles();
  }

  /** Tries again later, and later each time; until then the client polls. */
  #fail(question: Question, timer: Timer | undefined): void {
    if (timer !== this.#timer) return;
    const delayMs = Math.min(this.#retryDelayMs * 2 ** this.#failures, MAX_RETRY_DELAY_MS);
    this.#failures += 1;
    this.#latest = undefined;
    this.#openLater(question, delayMs * (0.5 + Math.random() / 2));
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#source?.close();
    this.#source = undefined;
    this.#latest = undefined;
  }
}

/** What the network would answer: nothing, to a client that has it. */
function answerWith({ data, lastEventId }: ToggleEvent, sent: RequestInit["headers"]): Response {
  const headers = { etag: lastEventId, "content-type": "application/json" };
  return new Headers(sent).get("if-none-match") === lastEventId
    ? new Response(null, { status: 304, headers })
    : new Response(data, { headers });
}
