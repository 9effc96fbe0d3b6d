import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import type { ReportEvaluations } from "./evaluation-events.ts";
import type { ActiveSpan } from "./log-export.ts";
import type { Sampler } from "./sampler.ts";
import type {
  RequestTracer,
  TracedRequest,
  TracedUpstreamRequest,
  UpstreamRequest,
} from "./telemetry.ts";

interface RequestTracerOptions {
  readonly tracer: Tracer;
  readonly isSampled: Sampler;
  readonly active: ActiveSpan;
  /** Undefined: evaluations are not reported. */
  readonly reportEvaluations: ReportEvaluations | undefined;
  readonly propagates: boolean;
}

/** Any other method would be a name that a client has chosen. */
const METHODS: ReadonlySet<string | undefined> = new Set([
  "DELETE",
  "GET",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
]);

export function createRequestTracer({
  tracer,
  isSampled,
  active,
  reportEvaluations,
  propagates,
}: RequestTracerOptions): RequestTracer {
  const traced = new WeakMap<IncomingMessage, TracedRequest>();
  return {
    begin(request, response) {
      const parent = propagates ? readParent(request) : undefined;
      if (!isSampled(parent)) return undefined;
      const method = METHODS.has(request.method) ? (request.method ?? "") : "HTTP";
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes: attributesOf(request) },
        parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
      );
      response.once("close", () => endServerSpan(span, response));
      const tracedRequest: TracedRequest = {
        setRoute(route) {
          span.updateName(`${method} ${route}`);
          span.setAttribute("http.route", route);
        },
        run: (callback) => active.run(span, callback),
        reportEvaluations: (evaluations, contextId) =>
          reportEvaluations?.(evaluations, contextId, trace.setSpan(ROOT_CONTEXT, span)),
      };
      traced.set(request, tracedRequest);
      return tracedRequest;
    },
    find: (request) => traced.get(request),
    beginUpstream(request) {
      if (!isSampled(undefined)) return undefined;
      return startUpstreamSpan(tracer, request, propagates);
    },
  };
}

/** NOTE: `tracestate` is not read: it would be exported, and clients choose its value. */
function readParent({ headers }: IncomingMessage): SpanContext | undefined {
  const header = headers["traceparent"];
  if (typeof header !== "string") return undefined;
  const parent = parseTraceParent(header);
  return parent !== null && trace.isSpanContextValid(parent)
    ? { ...parent, isRemote: true }
    : undefined;
}

/** NOTE: contains neither path nor address: they may contain names of users and tokens. */
function attributesOf({ method, httpVersion, socket }: IncomingMessage): Attributes {
  return {
    "http.request.method": METHODS.has(method) ? method : "_OTHER",
    "network.protocol.version": httpVersion,
    "url.scheme": (socket as Partial<TLSSocket>).encrypted === true ? "https" : "http",
  };
}

function endServerSpan(span: Span, { headersSent, statusCode, writableFinished }: ServerResponse) {
  if (headersSent) span.setAttribute("http.response.status_code", statusCode);
  if (!writableFinished) {
    span.setAttribute("error.type", "aborted");
  } else if (statusCode >= 500) {
    span.setAttribute("error.type", String(statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function startUpstreamSpan(
  tracer: Tracer,
  { method, url }: UpstreamRequest,
  propagates: boolean,
): TracedUpstreamRequest {
  const defaultPort = url.protocol === "https:" ? 443 : 80;
  const attributes = {
    "http.request.method": method,
    "server.address": url.hostname,
    "server.port": url.port === "" ? defaultPort : Number(url.port),
    // NOTE: without the query, which contains filters, and without credentials.
    "url.full": `${url.origin}${url.pathname}`,
  };
  const name = `${method} ${url.pathname}`;
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT);
  const { traceId, spanId } = span.spanContext();
  return {
    headers: propagates ? { traceparent: `00-${traceId}-${spanId}-01` } : {},
    end(result) {
      if ("error" in result) {
        const { name: kind, code } = result.error as { name?: string; code?: string };
        span.setAttribute("error.type", code ?? kind ?? "_OTHER");
        span.setStatus({ code: SpanStatusCode.ERROR });
      } else {
        span.setAttribute("http.response.status_code", result.status);
        if (result.status >= 400) {
          span.setAttribute("error.type", String(result.status));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
      }
      span.end();
    },
  };
}
