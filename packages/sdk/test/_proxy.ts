import { once } from "node:events";
import { createServer, request } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Tls } from "./_upstream.ts";

/** A forward proxy on a real socket, for plain requests and CONNECT tunnels. */
export class ForwardProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Forwarded requests: the request line, and the credentials for the proxy. */
  readonly seen: { readonly line: string; readonly authorization: string | undefined }[] = [];

  /** The response to requests for tunnels, before they are opened. */
  tunnelResponse: "opened" | "rejected" | "none" = "opened";

  private constructor(tls: Tls | undefined) {
    const listener = (incoming: IncomingMessage, response: ServerResponse): void =>
      this.#forward(incoming, response);
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.on("connect", (incoming, socket: Socket) => this.#tunnel(incoming, socket));
    this.#server.on("connection", (socket: Socket) => this.#sockets.add(socket));
  }

  static async start(tls?: Tls): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(tls);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #record(incoming: IncomingMessage): void {
    const line = `${incoming.method} ${incoming.url}`;
    this.seen.push({ line, authorization: incoming.headers["proxy-authorization"] });
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    this.#record(incoming);
    const { method, headers } = incoming;
    const outgoing = request(incoming.url ?? "", { method, headers }, (forwarded) => {
      response.writeHead(forwarded.statusCode ?? 502, forwarded.headers);
      forwarded.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  }

  /** Resolves when a tunnel is closed. */
  async tunnelClosed(): Promise<void> {
    const [, socket] = (await once(this.#server, "connect")) as [IncomingMessage, Socket];
    await once(socket, "close");
  }

  #tunnel(incoming: IncomingMessage, socket: Socket): void {
    this.#record(incoming);
    if (this.tunnelResponse === "rejected") socket.end("HTTP/1.1 407 No\r\n\r\n");
    if (this.tunnelResponse !== "opened") {
      socket.on("error", () => socket.destroy());
      socket.on("end", () => socket.end());
      socket.resume();
      return;
    }
    const [host, port] = (incoming.url ?? "").split(":");
    const target = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    this.#sockets.add(target);
    for (const end of [socket, target]) end.on("error", () => end.destroy());
  }
}
