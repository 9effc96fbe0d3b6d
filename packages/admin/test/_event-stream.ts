import { onTestFinished } from "vitest";
import { KNOWS_SEGMENTS, type Service } from "./_service.ts";

export interface ReceivedEvent {
  readonly name: string;
  readonly id: string;
  readonly data: { readonly events: readonly DeltaEvent[] };
}

/** An event of a delta, of any type. */
export interface DeltaEvent {
  readonly eventId: number;
  readonly type: string;
  readonly feature?: { readonly name: string; readonly enabled: boolean };
  readonly featureName?: string;
  readonly project?: string;
  readonly segment?: { readonly id: number };
  readonly segmentId?: number;
  readonly features?: readonly { readonly name: string }[];
  readonly segments?: readonly { readonly id: number }[];
}

export interface OpenStream {
  readonly headers: Headers;
  /** Resolves with the next event; rejects if the stream ends. */
  next(): Promise<ReceivedEvent>;
  /** Resolves when the service ends the stream. */
  readonly ended: Promise<void>;
  /** Returns the number of comments received so far. */
  readonly comments: () => number;
  close(): void;
}

interface StreamCall {
  readonly token: string;
  readonly query?: string;
  readonly lastEventId?: string;
}

/** Opens an event stream over a real socket, and closes it at the end of the test. */
export async function openStream(
  service: Pick<Service, "url">,
  { token, query = "", lastEventId }: StreamCall,
): Promise<OpenStream> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(`${service.url}/api/client/streaming${query}`, {
    signal: abort.signal,
    headers: {
      authorization: token,
      accept: "text/event-stream",
      ...KNOWS_SEGMENTS,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
  });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`No stream: ${response.status} ${await response.text()}`);
  }
  const queue = createQueue();
  let comments = 0;
  const ended = (async () => {
    let buffer = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      buffer += decoder.decode(chunk, { stream: true });
      const blocks = buffer.split("\n\n");
      buffer = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith(":")) comments += 1;
        else queue.push(parseBlock(block));
      }
    }
  })()
    .catch(() => undefined)
    .finally(() => queue.end());
  return {
    headers: response.headers,
    next: () => queue.next(),
    ended,
    comments: () => comments,
    close: () => abort.abort(),
  };
}

function parseBlock(block: string): ReceivedEvent {
  const fields = new Map(
    block.split("\n").map((line) => {
      const end = line.indexOf(": ");
      return [line.slice(0, end), line.slice(end + 2)] as const;
    }),
  );
  return {
    name: fields.get("event") ?? "",
    id: fields.get("id") ?? "",
    data: JSON.parse(fields.get("data") ?? "") as ReceivedEvent["data"],
  };
}

function createQueue() {
  const received: ReceivedEvent[] = [];
  const waiting: { resolve(event: ReceivedEvent): void; reject(error: Error): void }[] = [];
  let isOver = false;
  return {
    push: (event: ReceivedEvent): void => {
      const first = waiting.shift();
      if (first === undefined) received.push(event);
      else first.resolve(event);
    },
    end: (): void => {
      isOver = true;
      for (const waiter of waiting.splice(0)) waiter.reject(new Error("The stream has ended"));
    },
    next: (): Promise<ReceivedEvent> => {
      const first = received.shift();
      if (first !== undefined) return Promise.resolve(first);
      if (isOver) return Promise.reject(new Error("The stream has ended"));
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
      });
    },
  };
}
