import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { connectPeer, startServer } from "./_server.ts";
import { EventStream } from "../src/streams/event-stream.ts";

/** Larger than what sockets buffer for a client that does not read. */
export const LARGE_TEXT: string = "x".repeat(16 * 1024 * 1024);

interface OpenStream {
  readonly events: EventStream;
  readonly client: Socket;
  /** All text that the client has received. */
  readonly received: () => string;
}

export function startStreamServer(): Promise<Server> {
  return startServer(() => undefined);
}

/** Opens an event stream over a real connection. The client reads unless it is paused. */
export async function openStream(server: Server): Promise<OpenStream> {
  const requested = once(server, "request");
  const client = await connectPeer(server);
  let text = "";
  client.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  client.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  const [, response] = (await requested) as [unknown, ServerResponse];
  return { events: new EventStream(response, {}), client, received: () => text };
}
