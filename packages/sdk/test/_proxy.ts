import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A forward proxy on a real socket, for plain requests and CONNECT tunnels. */
export class ForwardProxy {
  readonly #server: Server = createServer((incoming, response) =>
    this.#forward(incoming, response),
  );
  readonly #sockets = new Set<Socket>();
  /** Forwarded requests: the request line, and the credentials for the proxy. */
  readonly seen: { readonly line: string; readonly authorization: string | undefined }[] = [];

  private constructor() {
    this.#server.on("connect", (incoming, socket: Socket) => this.#tunnel(incoming, socket));
    this.#server.on("connection", (socket: Socket) => this.#sockets.add(socket));
  }

  static async start(): Promise<ForwardProxy> {
    const proxy = new ForwardProxy();
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

  #tunnel(incoming: IncomingMessage, socket: Socket): void {
    this.#record(incoming);
    const [host, port] = (incoming.url ?? "").split(":");
    const target = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    this.#sockets.add(target);
    for (const end of [socket, target]) end.on("error", () => end.destroy());
  }
}
