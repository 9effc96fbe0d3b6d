import type { IncomingMessage } from "node:http";
import { SMALL_BODY_BYTES } from "flags-server-kit/http";

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Whether this is a GET of a path, with or without a query, and without a body. */
export function isCommonGet({ method, url = "", headers }: IncomingMessage, path: string): boolean {
  return (
    method === "GET" &&
    url.startsWith(path) &&
    (url.length === path.length || url[path.length] === "?") &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined
  );
}

/**
 * Whether this is a POST to a path with a short, uncompressed JSON body of known length. Longer bodies count
 * against the memory budget, which only the framework checks.
 */
export function isCommonPost({ method, url, headers }: IncomingMessage, path: string): boolean {
  const length = Number(headers["content-length"]);
  return (
    method === "POST" &&
    url === path &&
    length > 0 &&
    length <= SMALL_BODY_BYTES &&
    headers["content-encoding"] === undefined &&
    JSON_TYPE.test(headers["content-type"] ?? "")
  );
}

/**
 * Waits until the body of a common POST begins to arrive. If it is complete, as short bodies usually are,
 * calls `accept` with it. If it is incomplete, or `accept` returns false, restores the request as if
 * nothing had been read from it, and calls `passOn`.
 */
export function readShortBody(
  request: IncomingMessage,
  accept: (body: string) => boolean,
  passOn: () => void,
): void {
  request.once("readable", () => {
    const isComplete = request.readableLength === Number(request.headers["content-length"]);
    const body: unknown = isComplete ? request.read() : undefined;
    if (!Buffer.isBuffer(body)) {
      passOn();
    } else if (accept(body.toString())) {
      // NOTE: Node retains the request until its end has been read.
      request.resume();
    } else {
      request.unshift(body);
      passOn();
    }
  });
}
