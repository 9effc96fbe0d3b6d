import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/**
 * How long a peer may take to read the error response before its connection is destroyed. Closing
 * at once would reset the connection while data is still arriving, and many peers would then lose
 * the response.
 */
const LINGER_MS = 500;

/** A request that could not be read, as an HTTP error. */
export interface ClientFailure {
  readonly statusCode: 400 | 408 | 431;
  readonly message: string;
}

/** Responds to a request that could not be read, and closes its connection. */
export type ClientErrorHandler = (error: Error, socket: Socket) => void;

interface ClientErrorOptions {
  /** Makes the response body, which is sent as JSON. */
  readonly toBody: (fault: ClientFailure) => unknown;
  /** What to do about headers that are too large. @default "send less of them" */
  readonly headersAdvice?: string;
  /** Whether part of a response has been sent already, which an error must not be mixed into. */
  readonly isResponding?: (socket: Socket) => boolean;
}

/**
 * Creates a listener for the `clientError` event of an HTTP server. It always closes the
 * connection, whatever the peer does: Node no longer applies any timeout to a connection for which
 * it has emitted this event.
 */
export function createClientErrorHandler({
  toBody,
  headersAdvice = "send less of them",
  isResponding = () => false,
}: ClientErrorOptions): ClientErrorHandler {
  const messages = {
    400: "The request is not valid HTTP",
    408: "The request did not arrive in time",
    431: `The request line and headers are too large: ${headersAdvice}`,
  } as const;
  const closing = new WeakSet<Socket>();
  return (error, socket) => {
    // Everything that a peer sends after an invalid request is reported as a further error.
    if (closing.has(socket)) return;
    const code = "code" in error ? error.code : undefined;
    if (code === "ECONNRESET" || !socket.writable || isResponding(socket)) {
      socket.destroy();
      return;
    }
    closing.add(socket);
    const statusCode = statusCodeOf(code);
    const body = JSON.stringify(toBody({ statusCode, message: messages[statusCode] }));
    socket.end(
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n` +
        "Content-Type: application/json; charset=utf-8\r\n" +
        `Content-Length: ${Buffer.byteLength(body)}\r\n` +
        `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    );
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(linger));
  };
}

function statusCodeOf(code: unknown): ClientFailure["statusCode"] {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
