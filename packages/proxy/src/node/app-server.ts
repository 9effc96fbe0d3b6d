import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { setImmediate as afterWriting } from "node:timers/promises";
import { type ListenAddress, openPort } from "flags-server-kit";
import {
  type ConnectionGuard,
  createClientErrorHandler,
  createGuardedServer,
} from "flags-server-kit/http";
import type { TlsFiles } from "./tls-files.ts";

interface AppServerOptions {
  readonly guard: ConnectionGuard;
  readonly listener: RequestListener;
  readonly tls?: TlsFiles | undefined;
}

type Closer = () => void | Promise<void>;

const SWEEP_INTERVAL_MS = 50;

/** How long requests in progress may take. Usage is sent afterwards, and all of it must fit into the 10 s of most platforms. */
const DRAIN_MS = 5000;

/** An HTTP server with what must be closed with it. It does not listen yet. */
export class AppServer {
  readonly server: Server;
  readonly #guard: ConnectionGuard;
  readonly #furtherServers: Server[] = [];
  readonly #beforeClose: (() => void)[] = [];
  readonly #closers: Closer[] = [];
  #opening: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  constructor({ guard, listener, tls }: AppServerOptions) {
    this.#guard = guard;
    this.server = createGuardedServer(guard, listener, tls?.createServer);
    const onClientError = createClientErrorHandler({
      toBody: ({ message }) => ({ error: message }),
      headersHint: "send a large context with POST",
      isResponding: (socket) => guard.isResponding(socket),
    });
    this.server.on("clientError", (error, socket) => onClientError(error, socket as never));
  }

  /** Listens, and resolves to the address. Rejects if the server has been closed. */
  async listen(address: Omit<ListenAddress, "variables">): Promise<string> {
    if (this.#closed !== undefined) throw new Error("The proxy was closed");
    const opening = openPort(this.server, address);
    this.#opening = Promise.allSettled([this.#opening, opening]);
    return (await opening).origin;
  }

  /** Closes another server together with this one. */
  addServer(server: Server): void {
    this.#furtherServers.push(server);
  }

  /** Calls a function before the server waits for open connections. */
  beforeClose(prepare: () => void): void {
    this.#beforeClose.push(prepare);
  }

  /** Calls a function after the server has closed, before those that were added earlier. */
  onClose(closer: Closer): void {
    this.#closers.unshift(closer);
  }

  /** Finishes requests in progress, within 5 s, and closes what belongs to the server. Can be called more than once. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.server.prependListener("request", (_request, response) => {
      response.shouldKeepAlive = false;
    });
    for (const prepare of this.#beforeClose) prepare();
    // What the functions have written must be sent before connections count as idle.
    await afterWriting();
    await this.#opening;
    this.#guard.closeUnused();
    await Promise.all([this.server, ...this.#furtherServers].map(closeServer));
    for (const closer of this.#closers) {
      // oxlint-disable-next-line no-await-in-loop -- the later ones may depend on the earlier ones
      await closer();
    }
  }
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  // NOTE: a connection whose request was in progress stays open after the response.
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS);
  const limit = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
