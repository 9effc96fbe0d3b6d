import { onTestFinished } from "vitest";

export interface ReadEvent {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

/** A client of an event stream. */
export interface EventReader {
  readonly headers: Headers;
  /** Resolves to the next event; rejects if the stream ends before. */
  next(): Promise<ReadEvent>;
  /** Number of received events that `next()` has not returned yet. */
  waiting(): number;
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>;
  /** Number of comments received so far. */
  comments(): number;
  /** The reconnection delays received so far, in milliseconds. */
  readonly retries: readonly number[];
  close(): void;
}

/** Opens an event stream over a real connection, until the end of the test. */
export async function readEvents(url: string, init: RequestInit = {}): Promise<EventReader> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(url, { ...init, signal: abort.signal });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`No stream: ${response.status} ${await response.text()}`);
  }
  const queue = createQueue();
  const retries: number[] = [];
  let comments = 0;
  const receive = (block: string): void => {
    const fields = parseBlock(block);
    if (fields.has("")) comments += 1;
    if (fields.has("retry")) retries.push(Number(fields.get("retry")));
    if (fields.has("data")) queue.push(toEvent(fields));
  };
  const ended = readBlocks(response.body, receive)
    .catch(() => undefined)
    .finally(() => queue.end());
  return {
    headers: response.headers,
    next: () => queue.next(),
    waiting: () => queue.waiting(),
    ended,
    comments: () => comments,
    retries,
    close: () => abort.abort(),
  };
}

async function readBlocks(
  body: ReadableStream<Uint8Array>,
  receive: (block: string) => void,
): Promise<void> {
  let buffer = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop() ?? "";
    for (const block of blocks) receive(block);
  }
}

/** Parses fields by name. The name of a comment is empty. */
function parseBlock(block: string): ReadonlyMap<string, string> {
  return new Map(
    block.split("\n").map((line) => {
      const end = line.indexOf(":");
      return [line.slice(0, end), line.slice(end + 1).trimStart()] as const;
    }),
  );
}

function toEvent(fields: ReadonlyMap<string, string>): ReadEvent {
  return {
    name: fields.get("event") ?? "",
    id: fields.get("id") ?? "",
    data: fields.get("data") ?? "",
  };
}

function createQueue() {
  const received: ReadEvent[] = [];
  const waiters: { resolve(event: ReadEvent): void; reject(error: Error): void }[] = [];
  let isOver = false;
  return {
    waiting: () => received.length,
    push: (event: ReadEvent): void => {
      const first = waiters.shift();
      if (first === undefined) received.push(event);
      else first.resolve(event);
    },
    end: (): void => {
      isOver = true;
      for (const waiter of waiters.splice(0)) waiter.reject(new Error("The stream has ended"));
    },
    next: (): Promise<ReadEvent> => {
      const first = received.shift();
      if (first !== undefined) return Promise.resolve(first);
      if (isOver) return Promise.reject(new Error("The stream has ended"));
      return new Promise((resolve, reject) => {
        waiters.push({ resolve, reject });
      });
    },
  };
}
