import { onTestFinished } from "vitest";

export interface ReadEvent {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

/** A reader of an event stream. */
export interface EventReader {
  readonly headers: Headers;
  /** The next event; fails when the stream ends instead. */
  next(): Promise<ReadEvent>;
  /** Events that came and were not asked for yet. */
  waiting(): number;
  /** Resolves when the other side ends the stream. */
  readonly ended: Promise<void>;
  /** Comments so far. */
  comments(): number;
  /** The delays that were named so far, in milliseconds. */
  readonly retries: readonly number[];
}

/** Reads an event stream over a real socket, until the test is over. */
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
  const take = (block: string): void => {
    const fields = parseBlock(block);
    if (fields.has("")) comments += 1;
    if (fields.has("retry")) retries.push(Number(fields.get("retry")));
    if (fields.has("data")) queue.push(toEvent(fields));
  };
  const ended = readBlocks(response.body, take)
    .catch(() => undefined)
    .finally(() => queue.end());
  return {
    headers: response.headers,
    next: () => queue.next(),
    waiting: () => queue.waiting(),
    ended,
    comments: () => comments,
    retries,
  };
}

async function readBlocks(
  body: ReadableStream<Uint8Array>,
  take: (block: string) => void,
): Promise<void> {
  let buffer = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop() ?? "";
    for (const block of blocks) take(block);
  }
}

/** By name; a comment has none. */
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

/** The names of the toggles in an event that are on. */
export function namesIn({ data }: ReadEvent): readonly string[] {
  const { toggles } = JSON.parse(data) as { toggles: { name: string; enabled: boolean }[] };
  return toggles.filter(({ enabled }) => enabled).map(({ name }) => name);
}
