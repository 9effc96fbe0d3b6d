import { once } from "node:events";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";

/** A route of a running application. */
export interface RegisteredRoute {
  readonly method: string;
  /** With `:name` and `*` for parameters. */
  readonly path: string;
}

/** Lists the routes of a running application, so that a test cannot forget a new one. */
export function listRegisteredRoutes(app: FastifyInstance): readonly RegisteredRoute[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", part = "", methods = ""] =
        /^(.*)[├└]── (\S+) \((.*)\)$/.exec(line) ?? [];
      if (part === "") return [];
      const depth = indent.length / 4;
      const path = (depth === 0 ? "" : (parents[depth - 1] ?? "")) + part;
      parents[depth] = path;
      // The wildcard of `/path/*` is printed as a part of the last name.
      const complete = path.replace(/(?<=[^/])\*$/, "/*");
      return methods.split(", ").map((method) => ({ method, path: complete }));
    });
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
