import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

interface ParserError extends Error {
  readonly code?: string;
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: "The request is not valid HTTP",
  408: "The request did not arrive in time",
  431: "The request line and headers are too large: send a large context with POST",
};

/** Answers what is not even HTTP, where there is no request to reply to, and hangs up. */
export function answerClientError(error: ParserError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const statusCode = statusCodeOf(error);
  const body = JSON.stringify({ error: MESSAGES[statusCode] });
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n` +
      "Content-Type: application/json; charset=utf-8\r\n" +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}

function statusCodeOf(error: ParserError): 400 | 408 | 431 {
  if (error.code === "HPE_HEADER_OVERFLOW") return 431;
  return error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
