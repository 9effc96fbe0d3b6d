import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

interface ParserError extends Error {
  readonly code?: string;
}

/** What is not even HTTP, in the terms of HTTP. */
export interface ClientFault {
  readonly statusCode: 400 | 408 | 431;
  readonly message: string;
}

interface ClientErrorOptions {
  /** Makes the body of the answer, which is sent as JSON. */
  readonly toBody: (fault: ClientFault) => unknown;
  /** How a request with headers that are too large can be sent otherwise. */
  readonly headersAdvice?: string;
}

/** Makes what answers where there is no request to reply to, and hangs up. */
export function createClientErrorHandler({
  toBody,
  headersAdvice = "send less of them",
}: ClientErrorOptions): (error: ParserError, socket: Socket) => void {
  const messages = {
    400: "The request is not valid HTTP",
    408: "The request did not arrive in time",
    431: `The request line and headers are too large: ${headersAdvice}`,
  } as const;
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const statusCode = statusCodeOf(error);
    const body = JSON.stringify(toBody({ statusCode, message: messages[statusCode] }));
    socket.end(
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n` +
        "Content-Type: application/json; charset=utf-8\r\n" +
        `Content-Length: ${Buffer.byteLength(body)}\r\n` +
        `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

function statusCodeOf(error: ParserError): ClientFault["statusCode"] {
  if (error.code === "HPE_HEADER_OVERFLOW") return 431;
  return error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
