import type { FastifyInstance } from "fastify";
import type { ObserveRequest } from "flags-server-kit/http";
import { NO_ROUTE } from "flags-server-kit/neutral";
import type { RequestTracer } from "flags-server-kit/telemetry";

/** Observes every request to which the framework responds. */
export function observeRequests(app: FastifyInstance, observe: ObserveRequest): void {
  app.addHook("onResponse", (request, reply, done) => {
    observe({
      method: request.method,
      route: request.routeOptions.url ?? NO_ROUTE,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
}

/** Names the spans of traced requests by their routes. */
export function traceRequests(app: FastifyInstance, tracer: Pick<RequestTracer, "find">): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { url } = request.routeOptions;
    if (url !== undefined) tracer.find(request.raw)?.setRoute(url);
    done();
  });
}
