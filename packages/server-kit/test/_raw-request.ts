import { once } from "node:events";
import { connect } from "node:net";

/** A route of a running application. */
export interface RegisteredRoute {
  readonly method: string;
  /** With `:name` and `*` for parameters. */
  readonly path: string;
}

export interface RawReply {
  readonly status: number;
  /** Status line, headers and body. */
  readonly text: string;
}

/**
 * Sends a request exactly as it is written, which clients would normalize: `GET //path HTTP/1.1`, and these lines of
 * headers.
 */
export async function sendLines(port: number, ...lines: readonly string[]): Promise<RawReply> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.write(`${[...lines, "connection: close"].join("\r\n")}\r\n\r\n`);
  await once(socket, "close");
  return { status: Number(text.split(" ")[1]), text };
}
