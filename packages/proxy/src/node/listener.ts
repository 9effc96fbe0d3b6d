import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream";
import { EventStream, type ObserveRequest } from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import type { Logger } from "flags-server-kit/neutral";
import type { HandledReply, Handler } from "../core/routing/handler.ts";
import type { StreamReply } from "../core/http/reply.ts";
import type { BodyLimits } from "../core/http/request.ts";
import { type Bytes, ReplyCompressor } from "./compress-replies.ts";
import { adoptForwarded } from "./forwarded-header.ts";
import { BodyReader } from "./read-body.ts";

interface ListenerOptions {
  readonly handler: Handler;
  readonly observe: ObserveRequest;
  readonly readsForwarded: boolean;
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

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startMs: number;
}

export function createNodeListener(options: ListenerOptions): NodeListener {
  const { handler, observe, readsForwarded, tracer, logger, sharedBytes } = options;
  const bodies = new BodyReader();
  const compressor = new ReplyCompressor(sharedBytes);

  return (request, response, next) => {
    const exchange: Exchange = { request, response, startMs: performance.now() };
    if (readsForwarded) adoptForwarded(request.headers);
    tracer?.begin(request, response);
    const reply = handler.handle(request, (limits: BodyLimits) =>
      bodies.read(request, response, limits),
    );
    if (reply instanceof Promise) void reply.then((ready) => send(exchange, ready, next));
    else send(exchange, reply, next);
  };

  function send(exchange: Exchange, reply: HandledReply, next: Parameters<NodeListener>[2]): void {
    const { request, response } = exchange;
    bodies.release(request);
    if (next !== undefined && reply.isUnhandled) {
      if (reply.isContinued) {
        for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
      }
      next();
    } else if (reply.stream !== undefined) {
      open(exchange, reply, reply.stream);
    } else {
      encode(exchange, reply);
    }
  }

  function encode(exchange: Exchange, reply: HandledReply): void {
    const bytes = compressor.encode(exchange.request.headers, reply);
    if (bytes instanceof Promise) {
      // NOTE: a rejection that is unhandled at the end of a tick ends the process.
      bytes.then(
        (ready) => write(exchange, reply, ready),
        (error: unknown) => abandon(exchange, reply, error),
      );
    } else {
      // NOTE: responses are sent after all requests of this event-loop tick have been read. Sending wakes the reader,
      // which competes for the processor with the requests that are still unread; this can make them 50% more expensive.
      setImmediate(() => write(exchange, reply, bytes));
    }
  }

  function write(exchange: Exchange, reply: HandledReply, bytes: Bytes | undefined): void {
    const { request, response } = exchange;
    // A program that embeds the proxy may have responded in the meantime, for example after a timeout of its own.
    if (response.headersSent) return;
    // NOTE: Node would parse the rest of a body that nobody reads, which takes very long if its chunks are short.
    if ("transfer-encoding" in request.headers && !request.complete)
      response.shouldKeepAlive = false;
    try {
      response.writeHead(reply.status, reply.headers);
      if (bytes === undefined || request.method === "HEAD") response.end();
      else response.end(bytes, "latin1");
    } catch (error) {
      abandon(exchange, reply, error);
    }
    report(exchange, reply);
  }

  /** Disconnects the client of a response that cannot be sent. */
  function abandon({ request, response }: Exchange, { route }: HandledReply, error: unknown): void {
    logger.error(`${request.method} ${route} failed`, error);
    response.destroy();
  }

  function open(exchange: Exchange, reply: HandledReply, stream: StreamReply): void {
    const { request, response } = exchange;
    if (response.destroyed) return;
    const { status, route, headers } = reply;
    response.once("close", () => report(exchange, { status, route }));
    const events = new EventStream(response, headers, stream);
    releaseRequest(request, route);
    stream.open(events);
  }

  function report(
    { request, startMs }: Exchange,
    { status, route }: Pick<HandledReply, "status" | "route">,
  ): void {
    const seconds = (performance.now() - startMs) / 1000;
    observe({ method: request.method ?? "", route, status, seconds });
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
