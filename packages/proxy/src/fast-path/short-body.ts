import type { IncomingMessage } from "node:http";

/** As much as a question may take that comes by GET. */
const MAX_BYTES = 16 * 1024;

/** Whether a request brings a body, says how long it is, and it is short. */
export function hasShortBody(request: IncomingMessage): boolean {
  const length = lengthOf(request);
  return length > 0 && length <= MAX_BYTES;
}

/** Who is offered something. */
export interface Taker<Item> {
  /** Takes it, or returns false. */
  readonly take: (item: Item) => boolean;
  /** Is called when it was not taken, or could not be offered. */
  readonly leave: () => void;
}

/**
 * Waits until a body begins to arrive, and offers it if it is all there at once, as is usual. What is
 * left can be read as if nobody had looked at it before.
 */
export function offerBody(request: IncomingMessage, { take, leave }: Taker<string>): void {
  request.once("readable", () => {
    const body = readWhole(request);
    if (body !== undefined && take(body.toString())) {
      // NOTE: until it has seen the end of a body, Node holds on to the request.
      request.resume();
      return;
    }
    if (body !== undefined) request.unshift(body);
    leave();
  });
}

function readWhole(request: IncomingMessage): Buffer | undefined {
  if (request.readableLength !== lengthOf(request)) return undefined;
  const body: unknown = request.read();
  return Buffer.isBuffer(body) ? body : undefined;
}

function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers["content-length"]);
}
