import type { EventStream } from "flags-server-kit/http";
import type { Grant } from "../access/grant.ts";
import type { StreamTokens } from "./stream-tokens.ts";

export interface StreamRequest {
  readonly grant: Grant;
  /** The subscription, as `toStoredText()` returns it. */
  readonly storedText: string;
  readonly lastEventId: string | undefined;
}

/** The open streams to clients, and the tokens with which clients open them. */
export interface ClientStreams {
  readonly tokens: StreamTokens;
  /** @throws {HttpError} 503 with `Retry-After` if a limit is reached or the proxy is shutting down */
  checkCapacity(clientKey: string, bytes: number): void;
  /** Returns the function that opens a stream. NOTE: it keeps nothing else of the HTTP request in memory. */
  opener(request: StreamRequest): (events: EventStream) => void;
}
