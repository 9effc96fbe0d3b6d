import { finished } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { parse } from "fast-querystring";
import { releaseBody } from "./body-budget.ts";
import { hasBody } from "./pipeline.ts";

/**
 * Releases what a client can make large as soon as it is not needed. The framework parses a query before the body
 * arrives, and keeps a request until its response is read: a pipelined one, for as long as the responses before it. What
 * was parsed can take 400 times the memory of the compressed body that was sent.
 *
 * Call it before adding other hooks. A handler that reads `request.body` or `request.query` after it has responded finds nothing.
 */
export function releaseRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (hasBody(request)) request.query = {};
    done();
  });
  app.addHook("preValidation", (request, _reply, done) => {
    if (hasBody(request)) request.query = parse(queryOf(request.url));
    done();
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    releaseInput(request);
    done(null, payload);
  });
}

/**
 * Releases all that a request contains but the path of its route. Call it when its response becomes a stream of events,
 * which can stay open for a long time.
 */
export function releaseRequest(request: FastifyRequest): void {
  releaseInput(request);
  releaseBody(request);
  const { raw } = request;
  raw.url = request.routeOptions.url ?? "";
  raw.headers = {};
  raw.rawHeaders = [];
  // NOTE: the trailers of a GET, whose body the framework does not wait for, arrive later.
  finished(raw, () => {
    raw.trailers = {};
    raw.rawTrailers = [];
  });
}

function releaseInput(request: FastifyRequest): void {
  request.body = undefined;
  request.query = {};
}

function queryOf(url: string): string {
  const start = url.indexOf("?") + 1;
  return start === 0 ? "" : url.slice(start);
}
