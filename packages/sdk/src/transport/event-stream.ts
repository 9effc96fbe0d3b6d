import { createParser } from "eventsource-parser";
import type { ParseError } from "eventsource-parser";
import { UpstreamError } from "./upstream-error.ts";

export type StreamItem =
  | {
      readonly kind: "event";
      readonly name: string;
      readonly id: string | undefined;
      readonly data: string;
    }
  | { readonly kind: "comment"; readonly text: string }
  | { readonly kind: "retry"; readonly retryMs: number };

const MAX_EVENT_CHARACTERS = 64 * 1024 * 1024;

/** Parses an event stream; throws an `UpstreamError` as soon as an event exceeds the limit. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxCharacters: number = MAX_EVENT_CHARACTERS,
): AsyncGenerator<StreamItem> {
  const items: StreamItem[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxCharacters,
    onEvent: ({ event, id, data }) =>
      items.push({ kind: "event", name: event ?? "message", id, data }),
    onComment: (text) => items.push({ kind: "comment", text }),
    onRetry: (retryMs) => items.push({ kind: "retry", retryMs }),
    onError: ({ type }: ParseError) => {
      isTooLarge ||= type === "max-buffer-size-exceeded";
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* items.splice(0);
    if (!isTooLarge) continue;
    const message = `The upstream sent an event of more than ${maxCharacters} characters`;
    throw new UpstreamError(message, { code: "TOO_LARGE" });
  }
}
