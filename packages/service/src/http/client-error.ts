import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** What is not even HTTP, in the terms of HTTP. */
export interface ClientFault {
  readonly statusCode: 400 | 408 | 431;
  readonly message: string;
}

/** Answers what could not be read from a connection. */
export type ClientErrorHandler = (error: Error, socket: Socket) => void;

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
}: ClientErrorOptions): ClientErrorHandler {
  const messages = {
    400: "The request is not valid HTTP",
    408: "The request did not arrive in time",
    431: `The request line and headers are too large: ${headersAdvice}`,
  } as const;
  return (error, socket) => {
    const code = "code" in error ? error.code : undefined;
    if (code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const statusCode = statusCodeOf(code);
    const body = JSON.stringify(toBody({ statusCode, message: messages[statusCode] }));
    socket.end(
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n` +
        "Content-Type: application/json; charset=utf-8\r\n" +
        `Content-Length: ${Buffer.byteLength(body)}\r\n` +
        `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

function statusCodeOf(code: unknown): ClientFault["statusCode"] {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
