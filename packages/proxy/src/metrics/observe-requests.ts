import type { FastifyInstance } from "fastify";
import type { Metrics } from "./metrics.ts";

/** Label of requests that no route was found for: their paths are whatever a caller makes up. */
const NO_ROUTE = "none";

/** Counts and times every request by its route. */
export function observeRequests(
  app: FastifyInstance,
  { requests, requestDuration }: Pick<Metrics, "requests" | "requestDuration">,
): void {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? NO_ROUTE;
    requests.inc({ method: request.method, route, status: reply.statusCode });
    requestDuration.observe({ route }, reply.elapsedTime / 1000);
    done();
  });
}
