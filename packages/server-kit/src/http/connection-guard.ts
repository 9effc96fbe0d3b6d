import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import type { Logger } from "../logging/logger.ts";
import { findRepeatedHeader, RepeatedHostError } from "./repeated-header.ts";
import { onStopping } from "./shut-down.ts";
import { findExcess, MAX_UNREAD_BYTES } from "./unread-responses.ts";

type CloseReason = "limit" | "idle" | "slow_reader" | "pipelining";

const DEFAULT_TIMES = {
  /** How long a peer may take to read a complete response. */
  responseMs: 120_000,
  /** A connection that has been idle for this long may be closed to accept another. */
  minIdleMs: 1000,
  /** A connection whose request has been incomplete for this long may be closed to accept another. */
  minIncompleteMs: 5000,
  checkIntervalMs: 1000,
  warningIntervalMs: 60_000,
};

const MIB = 1024 * 1024;

/** How many headers a request may have. Each takes some hundred bytes of memory, however short it is. */
export const MAX_HEADERS = 200;

const HOST = ["host"] as const;

/** How many pipelined requests of one connection may wait, and how many of them may have bodies, which take memory. */
const MAX_WAITING = 256;
const MAX_WAITING_WITH_BODY = 8;

/** The approximate memory of a waiting request with large headers. */
const REQUEST_BYTES = 16 * 1024;

/** How many connections are examined to find an idle one: rejecting one has constant cost. */
const MAX_EXAMINED = 16;

export interface ConnectionGuardOptions {
  readonly maxConnections: number;
  readonly logger: Pick<Logger, "warn">;
  /** The end of the warning about the limit, for example `raise MAX_CONNECTIONS`. */
  readonly hint: string;
  /** Memory for what peers have not read. @default 67108864 */
  readonly maxUnreadBytes?: number;
  readonly times?: Partial<typeof DEFAULT_TIMES>;
}

/** `busy`: a request is in progress; `sending`: the peer has not read the response; `idle`: there is no request. */
type Phase = "busy" | "sending" | "idle";

interface UnreadResponses {
  readonly socket: Socket;
  readonly bytes: number;
  readonly isLate: boolean;
}

interface Connection {
  phase: Phase;
  sinceMs: number;
  /** The response to the latest request that was handled, until it is known to be finished. */
  response: ServerResponse | undefined;
  /** The response to the latest request. Later requests wait until it is closed. */
  latest: ServerResponse | undefined;
  /** How many pipelined requests wait. */
  waiting: number;
  /** Whether a request was rejected because of its headers. No later one is handled. */
  isRejected: boolean;
}

/**
 * Limits the number of open connections, and the memory of responses that their peers do not read.
 *
 * NOTE: not with `server.maxConnections`. With `node:cluster`, workers pass connections above that limit back and forth
 * forever, and idle connections are never closed to accept new ones.
 */
export class ConnectionGuard {
  readonly maxConnections: number;
  readonly #logger: Pick<Logger, "warn">;
  readonly #hint: string;
  readonly #maxUnreadBytes: number;
  readonly #times: typeof DEFAULT_TIMES;
  /** The search for an idle connection starts with the first. */
  readonly #connections = new Map<Socket, Connection>();
  /** Connections whose TLS handshake has not ended, by their addresses. */
  readonly #handshakes = new Map<string, Socket>();
  readonly #closed: Record<CloseReason, number> = {
    limit: 0,
    idle: 0,
    slow_reader: 0,
    pipelining: 0,
  };
  #isStopping = false;
  #lastWarningMs = Number.NEGATIVE_INFINITY;

  constructor({
    maxConnections,
    logger,
    hint,
    maxUnreadBytes = MAX_UNREAD_BYTES,
    times,
  }: ConnectionGuardOptions) {
    this.maxConnections = maxConnections;
    this.#logger = logger;
    this.#hint = hint;
    this.#maxUnreadBytes = maxUnreadBytes;
    this.#times = { ...DEFAULT_TIMES, ...times };
  }

  get size(): number {
    return this.#connections.size;
  }

  get closed(): Readonly<Record<CloseReason, number>> {
    return this.#closed;
  }

  protect(server: Server): void {
    this.acceptFrom(server);
    onStopping(server, () => this.#stopKeepingAlive());
    server.once("listening", () => {
      const timer = setInterval(() => this.#check(), this.#times.checkIntervalMs);
      timer.unref();
      server.once("close", () => clearInterval(timer));
    });
  }

  /** Starts to guard the connections of a server that passes its requests on to a protected one. */
  acceptFrom(server: Server): void {
    server.on("connection", (socket) => this.#accept(socket));
    if (!(server instanceof TlsServer)) return;
    // NOTE: handshakes that never end count too. Requests then arrive on another socket object, which has only the
    // addresses in common with the first one.
    server.on("connection", (socket) => {
      const addresses = describeAddresses(socket);
      this.#handshakes.set(addresses, socket);
      socket.once("close", () => {
        if (this.#handshakes.get(addresses) === socket) this.#handshakes.delete(addresses);
      });
    });
    server.prependListener("secureConnection", (socket) => {
      const addresses = describeAddresses(socket);
      const raw = this.#handshakes.get(addresses);
      this.#handshakes.delete(addresses);
      if (raw !== undefined) this.#connections.delete(raw);
      this.#track(socket);
    });
  }

  /**
   * Returns a listener that handles one request of a connection at a time.
   *
   * @param reject responds to a request with invalid headers, and closes its connection
   */
  limitRequests(
    handle: RequestListener,
    reject: (error: Error, socket: Socket) => void,
  ): RequestListener {
    return (request, response) => {
      const { socket } = request;
      const connection = this.#connections.get(socket);
      // Node continues to parse data that it received before the connection was closed.
      if (connection === undefined || connection.isRejected) return;
      const error = checkHeaders(request.rawHeaders);
      if (error !== undefined) {
        connection.isRejected = true;
        reject(error, socket);
        return;
      }
      const start = (): void => {
        connection.phase = "busy";
        connection.sinceMs = performance.now();
        connection.response = response;
        if (this.#isStopping) response.shouldKeepAlive = false;
        handle(request, response);
      };
      const previous = connection.latest;
      connection.latest = response;
      // A response without a socket is queued behind an earlier one of the same connection.
      if (response.socket !== null || previous === undefined) start();
      else if (connection.waiting >= (hasBody(request) ? MAX_WAITING_WITH_BODY : MAX_WAITING)) {
        this.#close(socket, "pipelining");
      } else {
        connection.waiting += 1;
        previous.once("close", () => {
          connection.waiting -= 1;
          if (response.socket !== null && !socket.destroyed) start();
        });
      }
    };
  }

  /** Whether a response, or a part of it, is still to be sent, which an error response would replace. */
  isResponding(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    const response = connection?.response;
    if (response === undefined || response.writableFinished) return false;
    return response.headersSent || response.req.complete;
  }

  /**
   * Closes connections on which nothing has arrived, as browsers open them in advance: `closeIdleConnections()` of a server
   * waits for their first request.
   */
  closeUnused(): void {
    for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  #stopKeepingAlive(): void {
    this.#isStopping = true;
    for (const { response } of this.#connections.values()) {
      if (response?.headersSent === false) response.shouldKeepAlive = false;
    }
  }

  #accept(socket: Socket): void {
    if (this.size >= this.maxConnections) {
      this.#warn(
        `The limit of ${this.maxConnections} connections is reached: idle connections are closed, ` +
          `or new ones if none is idle. Unless this is an attack, ${this.#hint}`,
      );
      if (!this.#closeIdle()) {
        this.#close(socket, "limit");
        return;
      }
    }
    this.#track(socket);
  }

  #track(socket: Socket): void {
    this.#connections.set(socket, {
      phase: "idle",
      sinceMs: performance.now(),
      response: undefined,
      latest: undefined,
      waiting: 0,
      isRejected: false,
    });
    socket.once("close", () => this.#connections.delete(socket));
  }

  /** Closes one connection that is idle, or whose request does not arrive, if there is one among the next few. */
  #closeIdle(): boolean {
    const nowMs = performance.now();
    let examined = 0;
    for (const [socket, connection] of this.#connections) {
      if (nowMs - connection.sinceMs >= this.#minMsOf(connection)) {
        this.#close(socket, "idle");
        return true;
      }
      examined += 1;
      if (examined === MAX_EXAMINED) break;
      // The next search examines others first.
      this.#connections.delete(socket);
      this.#connections.set(socket, connection);
    }
    return false;
  }

  #minMsOf({ phase, response }: Connection): number {
    if (phase === "idle") return this.#times.minIdleMs;
    return phase === "busy" && response?.req.complete === false
      ? this.#times.minIncompleteMs
      : Number.POSITIVE_INFINITY;
  }

  #check(): void {
    const nowMs = performance.now();
    const unread: UnreadResponses[] = [];
    for (const [socket, connection] of this.#connections) {
      const phase = phaseOf(socket, connection);
      if (phase !== connection.phase) {
        connection.phase = phase;
        connection.sinceMs = nowMs;
      }
      // An idle connection should not keep the memory of its last response.
      if (phase === "idle") connection.response = connection.latest = undefined;
      const phaseMs = nowMs - connection.sinceMs;
      if (phase === "sending" && phaseMs > this.#times.responseMs) {
        this.#close(socket, "slow_reader");
      } else if (phase === "sending") {
        const bytes = socket.writableLength + connection.waiting * REQUEST_BYTES;
        unread.push({ socket, bytes, isLate: phaseMs >= this.#times.checkIntervalMs / 2 });
      }
    }
    if (unread.length > 0) this.#limitUnread(unread);
  }

  #limitUnread(unread: readonly UnreadResponses[]): void {
    const { totalBytes, largest } = findExcess(unread, this.#maxUnreadBytes);
    if (largest.length === 0) return;
    this.#warn(
      `Clients have not read ${Math.round(totalBytes / MIB)} MiB of responses: the clients with the largest unread responses are disconnected`,
    );
    for (const { socket } of largest) this.#close(socket, "slow_reader");
  }

  #close(socket: Socket, reason: CloseReason): void {
    this.#closed[reason] += 1;
    this.#connections.delete(socket);
    socket.destroy();
  }

  #warn(message: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastWarningMs < this.#times.warningIntervalMs) return;
    this.#lastWarningMs = nowMs;
    this.#logger.warn(message);
  }
}

function checkHeaders(rawHeaders: readonly string[]): Error | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return new TooManyHeadersError();
  return findRepeatedHeader(rawHeaders, HOST) === undefined ? undefined : new RepeatedHostError();
}

/** With the code of Node's own error for headers that are too large. */
class TooManyHeadersError extends Error {
  override readonly name = "TooManyHeadersError";
  readonly code = "HPE_HEADER_OVERFLOW";
}

function phaseOf(socket: Socket, { phase, response, waiting }: Connection): Phase {
  if (response === undefined) return phase;
  // Requests that wait behind an event stream would wait for ever.
  if (waiting > 0 || (response.writableEnded && !response.writableFinished)) return "sending";
  if (response.writableFinished) return "idle";
  return isBlocked(socket) && !isEventStream(response) ? "sending" : "busy";
}

/** NOTE: not `writableNeedDrain`, which is false once the peer has closed its side of the connection. */
function isBlocked(socket: Socket): boolean {
  return socket.writableLength >= socket.writableHighWaterMark;
}

/** The responses of event streams do not end, and `StreamHub` disconnects slow readers. */
function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader("content-type")).startsWith("text/event-stream");
}

function describeAddresses(socket: Socket): string {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  return [localAddress, localPort, remoteAddress, remotePort].join(" ");
}

export function hasBody({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
