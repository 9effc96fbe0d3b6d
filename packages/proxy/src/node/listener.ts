import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream";
import { EventStream, type ObserveRequest } from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import type { Logger } from "flags-server-kit/neutral";
import type { HandledReply, Handler } from "../core/routing/handler.ts";
import type { BodyLimits } from "../core/http/request.ts";
import { type Bytes, ReplyCompressor } from "./compress-replies.ts";
import { adoptForwarded } from "./forwarded-header.ts";
import { BodyReader } from "./read-body.ts";

interface ListenerOptions {
  readonly handler: Handler;
  readonly observe: ObserveRequest;
  readonly readsForwarded: boolean;
  /** Decides which requests are traced. Undefined: none. */
  readonly tracer: Pick<RequestTracer, "begin"> | undefined;
  readonly logger: Pick<Logger, "error">;
  /** Memory for compressed bodies that several users share. @default 16 MiB */
  readonly sharedBytes?: number | undefined;
}

/** `next` is called for requests that the proxy has nothing to say about. */
export type NodeListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

export function createNodeListener(options: ListenerOptions): NodeListener {
  const { handler, readsForwarded, tracer } = options;
  const bodies = new BodyReader();
  const sender = new ReplySender(options, bodies);
  return (request, response, next) => {
    const exchange: Exchange = { request, response, startMs: performance.now() };
    if (readsForwarded) adoptForwarded(request.headers);
    tracer?.begin(request, response);
    const reply = handler.handle(request, (limits: BodyLimits) =>
      bodies.read(request, response, limits),
    );
    if (reply instanceof Promise) void reply.then((ready) => sender.send(exchange, ready, next));
    else sender.send(exchange, reply, next);
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startMs: number;
}

class ReplySender {
  readonly #options: ListenerOptions;
  readonly #bodies: BodyReader;
  readonly #compressor: ReplyCompressor;

  constructor(options: ListenerOptions, bodies: BodyReader) {
    this.#options = options;
    this.#bodies = bodies;
    this.#compressor = new ReplyCompressor(options.sharedBytes);
  }

  send(exchange: Exchange, reply: HandledReply, next: Parameters<NodeListener>[2]): void {
    const { request, response } = exchange;
    this.#bodies.release(request);
    if (next !== undefined && reply.isUnhandled) {
      if (reply.isContinued) {
        for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
      }
      next();
    } else if (reply.stream !== undefined) {
      this.#open(exchange, reply, reply.stream);
    } else {
      this.#prepare(exchange, reply);
    }
  }

  #prepare(exchange: Exchange, reply: HandledReply): void {
    const bytes = this.#compressor.encode(exchange.request.headers, reply);
    if (bytes instanceof Promise) {
      // NOTE: a rejection that is unhandled at the end of a tick ends the process.
      bytes.then(
        (ready) => this.#write(exchange, reply, ready),
        (error: unknown) => this.#abandon(exchange, reply, error),
      );
    } else {
      // NOTE: responses are sent after all requests of this event-loop tick have been read. Sending wakes the reader,
      // which competes for the processor with the requests that are still unread; this can make them 50% more expensive.
      setImmediate(() => this.#write(exchange, reply, bytes));
    }
  }

  #write(exchange: Exchange, reply: HandledReply, bytes: Bytes | undefined): void {
    const { request, response } = exchange;
    // A program that embeds the proxy may have responded in the meantime, for example after a timeout of its own.
    if (response.headersSent) return;
    try {
      response.writeHead(reply.status, reply.headers);
      if (bytes === undefined || request.method === "HEAD") response.end();
      else response.end(bytes, "latin1");
    } catch (error) {
      this.#abandon(exchange, reply, error);
    }
    this.#observe(exchange, reply);
  }

  /** Disconnects the client of a response that cannot be sent. */
  #abandon({ request, response }: Exchange, { route }: HandledReply, error: unknown): void {
    this.#options.logger.error(`${request.method} ${route} failed`, error);
    response.destroy();
  }

  #open(
    exchange: Exchange,
    reply: HandledReply,
    stream: NonNullable<HandledReply["stream"]>,
  ): void {
    const { request, response } = exchange;
    if (response.destroyed) return;
    response.once("close", () =>
      this.#observe(exchange, { status: reply.status, route: reply.route }),
    );
    const { gzip = false } = stream;
    const events = new EventStream(response, reply.headers, { gzip });
    releaseRequest(request, reply.route);
    stream.open(events);
  }

  #observe(
    { request, startMs }: Exchange,
    { status, route }: Pick<HandledReply, "status" | "route">,
  ): void {
    const seconds = (performance.now() - startMs) / 1000;
    this.#options.observe({ method: request.method ?? "", route, status, seconds });
  }
}

/** Releases all that a request contains but the path of its route: a stream can stay open for a long time. */
function releaseRequest(request: IncomingMessage, route: string): void {
  request.url = route;
  request.headers = {};
  request.rawHeaders = [];
  // NOTE: the trailers arrive later.
  finished(request, () => {
    request.trailers = {};
    request.rawTrailers = [];
  });
  // Discards a body.
  request.resume();
}
