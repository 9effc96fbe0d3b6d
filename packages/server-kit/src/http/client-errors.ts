import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { codeOf } from "../errors.ts";
import { RepeatedHostError } from "./repeated-header.ts";

/**
 * How long a peer may take to read the error response. Closing at once would reset the connection while data is still
 * arriving, and many peers would lose the response.
 */
const LINGER_MS = 500;

interface ClientFailure {
  readonly statusCode: 400 | 408 | 431;
  readonly message: string;
}

type ClientErrorHandler = (error: Error, socket: Socket) => void;

interface ClientErrorOptions {
  readonly toBody: (failure: ClientFailure) => unknown;
  /** How to fix headers that are too large. @default "send fewer or shorter headers" */
  readonly headersHint?: string;
  /** Whether an earlier response, or part of one, has to be sent, which an error response would replace. */
  readonly isResponding?: (socket: Socket) => boolean;
}

/**
 * Creates a listener for the `clientError` event of an HTTP server. It always closes the connection: Node no longer applies
 * any timeout to it.
 */
export function createClientErrorHandler({
  toBody,
  headersHint = "send fewer or shorter headers",
  isResponding = () => false,
}: ClientErrorOptions): ClientErrorHandler {
  const messages = {
    400: "The request is not valid HTTP",
    408: "The request did not arrive in time",
    431: `The request line and headers are too large: ${headersHint}`,
  } as const;
  const closing = new WeakSet<Socket>();
  return (error, socket) => {
    // Everything that a peer sends after an invalid request is reported as another error.
    if (closing.has(socket)) return;
    const code = codeOf(error);
    if (code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    closing.add(socket);
    // Also the time for responses to the requests before the invalid one.
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(linger));
    if (isResponding(socket)) return;
    const statusCode = statusCodeOf(code);
    const message = error instanceof RepeatedHostError ? error.message : messages[statusCode];
    const body = JSON.stringify(toBody({ statusCode, message }));
    socket.end(
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n` +
        "Content-Type: application/json; charset=utf-8\r\n" +
        `Content-Length: ${Buffer.byteLength(body)}\r\n` +
        `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

function statusCodeOf(code: string): ClientFailure["statusCode"] {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
