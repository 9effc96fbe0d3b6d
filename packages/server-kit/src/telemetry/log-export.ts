import { ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";
import { type AnyValueMap, type Logger, SeverityNumber } from "@opentelemetry/api-logs";
import type { LogTap } from "../logging/log-tap.ts";
import type { LogLevel } from "../logging/logger.ts";

/**
 * The span that log lines belong to, while a function runs, but not after it has returned a promise.
 *
 * NOTE: not an `AsyncLocalStorage`, which before Node 24 hooks into every asynchronous operation of
 * the process, even in requests that are not traced.
 */
export class ActiveSpan {
  #span: Span | undefined;

  get span(): Span | undefined {
    return this.#span;
  }

  run(span: Span, callback: () => void): void {
    const previous = this.#span;
    this.#span = span;
    try {
      callback();
    } finally {
      this.#span = previous;
    }
  }
}

/** A message may quote what a peer has sent. */
const MAX_CHARACTERS = 8192;

const SEVERITIES: Readonly<Record<LogLevel, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** @param logger undefined: the lines are not exported */
export function connectLog(tap: LogTap, logger: Logger | undefined, active: ActiveSpan): void {
  tap.connect({
    activeSpan() {
      const ids = active.span?.spanContext();
      return ids && { trace_id: ids.traceId, span_id: ids.spanId };
    },
    onRecord({ level, text, fields, timeMs }) {
      const span = active.span;
      logger?.emit({
        timestamp: timeMs,
        severityNumber: SEVERITIES[level],
        severityText: level,
        body: text.slice(0, MAX_CHARACTERS),
        attributes: toAttributes(fields),
        context: span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span),
      });
    },
  });
}

/** Names the parts of an error by the conventions; other details become one text. */
function toAttributes({ error, details }: Readonly<Record<string, unknown>>): AnyValueMap {
  const { name, message, stack, code } = (error ?? {}) as Partial<Record<string, string>>;
  const attributes = {
    "exception.type": code ?? name,
    "exception.message": message,
    "exception.stacktrace": stack,
    details: details === undefined ? undefined : toText(details),
  };
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value.slice(0, MAX_CHARACTERS)]],
    ),
  );
}

function toText(details: unknown): string {
  if (typeof details === "string") return details;
  try {
    return JSON.stringify(details) ?? "";
  } catch {
    return "";
  }
}
