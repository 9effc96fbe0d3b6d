import { onTestFinished } from "vitest";

/** An event of a delta, whatever its type. */
export interface DeltaEvent {
  readonly eventId: number;
  readonly type: string;
  readonly feature?: { readonly name: string };
  readonly featureName?: string;
  readonly features?: readonly { readonly name: string }[];
  readonly segments?: readonly object[];
  readonly segment?: { readonly id: number };
  readonly segmentId?: number;
}

export interface ReceivedEvent {
  readonly name: string;
  readonly id: string;
  readonly events: readonly DeltaEvent[];
}

export interface OpenStream {
  readonly response: Response;
  /** The next event; fails when the stream ends instead. */
  next(): Promise<ReceivedEvent>;
  /** What was received besides events, as text, once the stream has ended. */
  rest(): Promise<string>;
}

/** Opens a stream of definitions as an SDK would. */
export async function openStream(
  url: string,
  headers: Record<string, string>,
): Promise<OpenStream> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(url, { headers, signal: abort.signal });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`No stream: ${response.status} ${await response.text()}`);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  let rest = "";
  const block = async (): Promise<string | undefined> => {
    while (!buffer.includes("\n\n")) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      buffer += value;
    }
    const end = buffer.indexOf("\n\n");
    const text = buffer.slice(0, end);
    buffer = buffer.slice(end + 2);
    return text;
  };
  const next = async (): Promise<ReceivedEvent> => {
    for (;;) {
      const text = await block();
      if (text === undefined) throw new Error("The stream ended");
      if (text.startsWith("event: ")) return toEvent(text);
      rest += `${text}\n`;
    }
  };
  const untilEnd = async (): Promise<string> => {
    for (let text = await block(); text !== undefined; text = await block()) rest += `${text}\n`;
    return rest;
  };
  return { response, next, rest: untilEnd };
}

function toEvent(text: string): ReceivedEvent {
  const [, name = "", id = "", data = ""] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(text) ?? [];
  return { name, id, ...(JSON.parse(data) as { events: readonly DeltaEvent[] }) };
}
