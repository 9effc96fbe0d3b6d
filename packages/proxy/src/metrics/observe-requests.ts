import type { FastifyInstance } from "fastify";
import type { Metrics } from "./metrics.ts";

/** Label of requests that no route was found for: their paths are whatever a caller makes up. */
const NO_ROUTE = "none";

/** A request that was answered. */
export interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export type ObserveRequest = (observed: ObservedRequest) => void;

/** Counts and times requests by their route. */
export function createRequestObserver({
  requests,
  requestDuration,
}: Pick<Metrics, "requests" | "requestDuration">): ObserveRequest {
  return ({ method, route, status, seconds }) => {
    requests.inc({ method, route, status });
    requestDuration.observe({ route }, seconds);
  };
}

/** Has every request observed that the framework answers. */
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
