import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A forward proxy on a real socket, for plain requests and for tunnels. */
export class ForwardProxy {
  readonly #server: Server = createServer((incoming, response) =>
    this.#forward(incoming, response),
  );
  readonly #sockets = new Set<Socket>();
  /** What came through: the request line, and who it said it was. */
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

  #note(incoming: IncomingMessage): void {
    const line = `${incoming.method} ${incoming.url}`;
    this.seen.push({ line, authorization: incoming.headers["proxy-authorization"] });
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    this.#note(incoming);
    const { method, headers } = incoming;
    const outgoing = request(incoming.url ?? "", { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  }

  #tunnel(incoming: IncomingMessage, socket: Socket): void {
    this.#note(incoming);
    const [host, port] = (incoming.url ?? "").split(":");
    const target = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    this.#sockets.add(target);
    for (const end of [socket, target]) end.on("error", () => end.destroy());
  }
}
