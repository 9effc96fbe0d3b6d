import { createParser } from "eventsource-parser";
import type { ParseError } from "eventsource-parser";
import { UpstreamError } from "./upstream-error.ts";

/** What an event stream brings. */
export type StreamItem =
  | {
      readonly kind: "event";
      readonly name: string;
      readonly id: string | undefined;
      readonly data: string;
    }
  /** Nothing but a sign of life. */
  | { readonly kind: "comment" }
  /** How long to wait before connecting again. */
  | { readonly kind: "retry"; readonly retryMs: number };

const MAX_EVENT_CHARACTERS = 64 * 1024 * 1024;

/** Reads an event stream; throws an `UpstreamError` as soon as an event passes the limit. */
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
    onComment: () => items.push({ kind: "comment" }),
    onRetry: (retryMs) => items.push({ kind: "retry", retryMs }),
    onError: ({ type }: ParseError) => {
      isTooLarge ||= type === "max-buffer-size-exceeded";
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* items.splice(0);
    if (isTooLarge) throw tooLarge(maxCharacters);
  }
}

function tooLarge(maxCharacters: number): UpstreamError {
  const message = `The upstream sent an event of more than ${maxCharacters} characters`;
  return new UpstreamError(message, { code: "TOO_LARGE" });
}
