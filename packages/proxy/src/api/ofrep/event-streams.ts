import type { StreamTicket, StreamTokens } from "../../streaming/stream-tokens.ts";
import { toPlainContext } from "../../streaming/subscription.ts";
import { type ResponseBody, toEntityTag } from "../../response/flag-list-body.ts";
import { toBinaryString } from "../../response/fragment.ts";

/** Where streams are found. */
export interface StreamPlace {
  readonly tokens: StreamTokens;
  /** Base path included. */
  readonly path: string;
}

/** The address of a stream, without the origin; undefined when it would be too long. */
export function locateStream(
  { tokens, path }: StreamPlace,
  { clientKey, subscription }: StreamTicket,
): string | undefined {
  const context = toPlainContext(subscription.context);
  const token = tokens.issueStable({ clientKey, subscription: { ...subscription, context } });
  return token && `${path}?token=${token}`;
}

/**
 * Adds the address of a stream to the flags. The entity tag covers both: addresses expire, and a
 * client that gets a 304 continues to use the one it has. Clients resolve an address without an
 * origin against the address of the request.
 */
export function withEventStream(flags: ResponseBody, requestUri: string | undefined): ResponseBody {
  if (requestUri === undefined) return flags;
  const eventStreams = JSON.stringify([{ type: "sse", endpoint: { requestUri } }]);
  const addition = toBinaryString(`,"eventStreams":${eventStreams}}`);
  // The closing brace moves behind the addition.
  const addTo = (text: string): string => text.slice(0, -1) + addition;
  return {
    entityTag: toEntityTag(`${flags.entityTag}\n${requestUri}`),
    byteLength: flags.byteLength - 1 + addition.length,
    toBinaryString: () => addTo(flags.toBinaryString()),
    toBuffer: () => Buffer.from(addTo(flags.toBinaryString()), "latin1"),
  };
}
