import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

/** Label of requests that no route was found for: their paths are whatever a caller makes up. */
const NO_ROUTE = "none";

const DURATION_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

/** A request that was answered. */
export interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export type ObserveRequest = (observed: ObservedRequest) => void;

/**
 * Makes the registry of one app, with what every process has to show.
 *
 * @param noun what the process is called, such as `the proxy`
 */
export function createRegistry(prefix: string, noun: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const help = `1 while ${noun} runs`;
  // Of several processes that make up one, each says the same.
  const aggregator = "first";
  new Counter({ name: `${prefix}_up`, help, registers: [registry], aggregator }).inc();
  return registry;
}

/** Counts and times requests by their route. */
export function createRequestObserver(registry: Registry, prefix: string): ObserveRequest {
  const registers = [registry];
  const requests = new Counter({
    name: `${prefix}_http_requests_total`,
    help: "Requests answered",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const duration = new Histogram({
    name: `${prefix}_http_request_duration_seconds`,
    help: "Time from the arrival of a request to the end of its answer",
    labelNames: ["route"],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  return ({ method, route, status, seconds }) => {
    requests.inc({ method, route, status });
    duration.observe({ route }, seconds);
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
