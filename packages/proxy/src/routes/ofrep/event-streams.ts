import { createHash } from "node:crypto";
import type { StreamTicket, StreamTokens } from "../../push/stream-tokens.ts";
import { toPlainContext } from "../../push/stream-question.ts";
import type { Representation } from "../evaluate.ts";

/** Where streams are found. */
export interface StreamPlace {
  readonly tokens: StreamTokens;
  /** Base path included. */
  readonly path: string;
}

/** The address of a stream, without the origin; undefined when it would be too long. */
export function locateStream(
  { tokens, path }: StreamPlace,
  { clientKey, question }: StreamTicket,
): string | undefined {
  const context = toPlainContext(question.context);
  const token = tokens.issueSteady({ clientKey, question: { ...question, context } });
  return token && `${path}?token=${token}`;
}

/**
 * Adds the address of a stream to the flags. The tag names both: addresses expire, and who gets a
 * 304 goes on with the one it has. Without an origin, clients put it behind the one they know.
 */
export function withEventStream(
  flags: Representation,
  requestUri: string | undefined,
): Representation {
  if (requestUri === undefined) return flags;
  const eventStreams = JSON.stringify([{ type: "sse", endpoint: { requestUri } }]);
  return {
    entityTag: () => `W/"${hash(flags.entityTag() + requestUri)}"`,
    body: () => {
      const text = flags.body().toString();
      return `${text.slice(0, -1)},"eventStreams":${eventStreams}}`;
    },
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
