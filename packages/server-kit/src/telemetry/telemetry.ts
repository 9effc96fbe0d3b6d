import type { IncomingMessage, ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import type { TelemetryConfig } from "../config/telemetry-config.ts";
import type { RequestMetrics } from "../http/metrics.ts";
import type { LogTap } from "../logging/log-tap.ts";
import type { Logger } from "../logging/logger.ts";

// The interface of telemetry. It mentions no type of OpenTelemetry, whose packages are part of the bundle
// of `flags-server-kit/telemetry` and not installed with it.

/** The configuration and the dependencies of telemetry. */
export interface TelemetryOptions {
  readonly config: TelemetryConfig;
  readonly service: {
    readonly name: string;
    readonly version: string;
    /** Distinguishes this process from all others of the service. */
    readonly instanceId: string;
  };
  readonly logger: Logger;
  /** The tap of the logger whose lines are exported. */
  readonly tap: LogTap | undefined;
}

/** Exports traces, metrics and logs. */
export interface Telemetry {
  /** Undefined if there are neither traces nor events. */
  readonly tracer: RequestTracer | undefined;
  exportMetrics(metrics: ExportedMetrics): void;
  /** Exports what is waiting, in bounded time. Never throws. */
  close(): Promise<void>;
}

/** The metrics of a process. */
export interface ExportedMetrics {
  readonly registry: Registry;
  readonly requests: Pick<RequestMetrics, "durations">;
}

/** Traces requests. */
export interface RequestTracer {
  /**
   * Decides whether to trace a request, and if so, starts its span, which ends with the response. Call it
   * once per request. Returns undefined if the request is not traced.
   */
  begin(request: IncomingMessage, response: ServerResponse): TracedRequest | undefined;
  /** Returns the trace of a request that has begun; undefined if it is not traced. */
  find(request: IncomingMessage): TracedRequest | undefined;
  /** Starts a span for a request to an upstream; undefined if it is not traced. */
  readonly beginUpstream: (request: UpstreamRequest) => TracedUpstreamRequest | undefined;
}

/** A request that is traced. */
export interface TracedRequest {
  /** Names the span by a template such as `/api/features/:name`, which contains nothing that a client sent. */
  setRoute(route: string): void;
  /** Calls a function, whose log lines then contain the ids of the span. Not those after an `await` in it. */
  run(callback: () => void): void;
  reportEvaluations(evaluations: readonly FlagEvaluation[], contextId: string | undefined): void;
}

/** The evaluation of one flag. It does not say for whom. */
export interface FlagEvaluation {
  readonly key: string;
  readonly enabled: boolean;
  readonly variant: string | undefined;
  readonly reason: string;
  /** The set of flags: its environment. */
  readonly set: string;
  /** Identifies the state of all flags of the set. */
  readonly version: string;
}

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: string;
  readonly url: URL;
}

/** A request to an upstream that is traced. */
export interface TracedUpstreamRequest {
  readonly headers: Readonly<Record<string, string>>;
  end(result: { readonly status: number } | { readonly error: unknown }): void;
}
