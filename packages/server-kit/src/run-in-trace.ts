// NOTE: not in telemetry/, whose files are published only as part of its own bundle.

import type { IncomingMessage } from "node:http";
import type { RequestTracer } from "./telemetry/telemetry.ts";

/** Calls a function, whose log lines contain the ids of the trace of a request if it is traced. */
export function runInTrace(
  tracer: Pick<RequestTracer, "find"> | undefined,
  request: IncomingMessage,
  callback: () => void,
): void {
  const traced = tracer?.find(request);
  if (traced === undefined) callback();
  else traced.run(callback);
}
