import type { FastifyInstance } from "fastify";
import type { RequestTracer } from "./telemetry/telemetry.ts";

/** Names the spans of traced requests by their routes. */
export function traceRequests(app: FastifyInstance, tracer: Pick<RequestTracer, "find">): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { url } = request.routeOptions;
    if (url !== undefined) tracer.find(request.raw)?.setRoute(url);
    done();
  });
}
