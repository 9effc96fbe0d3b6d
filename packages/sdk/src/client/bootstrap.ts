import { readFile } from "node:fs/promises";
import { runToEnd } from "flags-engine";
import type { BootstrapSettings } from "../options/resolve-options.ts";
import type { TimeSlicer } from "../scheduling/time-slicer.ts";
import { isEmpty } from "../sync/hold-back.ts";
import type { EventSink } from "../transport/failure-log.ts";
import type { HttpClient } from "../transport/http-client.ts";
import { readJson } from "../transport/read-json.ts";
import { RetryingTask } from "../transport/retrying-task.ts";
import { isComplete, toStatusError } from "../transport/status-error.ts";
import type { StatusHints } from "../transport/status-error.ts";
import { readBody } from "../transport/upstream-api.ts";
import { describeCause, toUpstreamError, UpstreamError } from "../transport/upstream-error.ts";

interface BootstrapTaskOptions {
  readonly bootstrap: BootstrapSettings;
  readonly http: HttpClient;
  readonly slicer: TimeSlicer;
  readonly userAgent: string;
  readonly accept: (document: unknown, signal: AbortSignal) => Promise<void>;
  readonly isNeeded: () => boolean;
  readonly intervalMs: number;
  readonly events: EventSink;
}

/** Only a URL is retried. A bootstrap without flags is ignored, because it would turn every flag off. */
export function createBootstrap(options: BootstrapTaskOptions): RetryingTask {
  const { bootstrap, accept, isNeeded, intervalMs, events } = options;
  const name = describeSource(bootstrap);
  const isUrl = bootstrap.kind === "url";
  const attempt = async (signal: AbortSignal): Promise<void> => {
    const document = await load(options, signal);
    signal.throwIfAborted();
    if (isEmpty(document)) events.warn(`The ${name} contains no flags and is ignored`);
    else await accept(document, signal);
  };
  return new RetryingTask({
    subject: `Loading the ${name}`,
    attempt: isUrl ? attempt : (signal) => attempt(signal).catch(throwFileError),
    intervalMs,
    isRepeated: false,
    isRetried: isUrl,
    isNeeded,
    events,
  });
}

function describeSource(bootstrap: BootstrapSettings): string {
  if (bootstrap.kind === "data") return "bootstrap data";
  return bootstrap.kind === "file" ? `bootstrap file ${bootstrap.path}` : "bootstrap URL";
}

async function load(options: BootstrapTaskOptions, signal: AbortSignal): Promise<unknown> {
  const { bootstrap } = options;
  if (bootstrap.kind === "data") {
    return { features: bootstrap.features, segments: bootstrap.segments };
  }
  if (bootstrap.kind === "file") {
    return runToEnd(readJson(await readText(bootstrap.path)));
  }
  return fetchDocument(bootstrap, options, signal);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const message = `Cannot read the file: ${describeCause(cause)}`;
    throw new UpstreamError(message, { code: "FILE", cause });
  }
}

/** No call to the upstream has failed. */
function throwFileError(thrown: unknown): never {
  const error = toUpstreamError(thrown);
  if (error.code !== "DOCUMENT") throw error;
  throw new UpstreamError(error.message, { code: "FILE", cause: thrown });
}

const URL_SETTING = "the bootstrap URL (EXP_BOOTSTRAP_URL or the option bootstrap.url)";

const HINTS: StatusHints = new Map([
  [401, "it requires credentials: check the headers for the bootstrap URL"],
  [403, "access is forbidden: check the headers for the bootstrap URL"],
  [404, "there is no such document: check the bootstrap URL"],
]);

async function fetchDocument(
  { url, headers }: Extract<BootstrapSettings, { readonly kind: "url" }>,
  { http, slicer, userAgent }: BootstrapTaskOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await http.send({
    method: "GET",
    url,
    urlSetting: URL_SETTING,
    headers: { accept: "application/json", "user-agent": userAgent },
    credentials: () => Promise.resolve(headers),
    signal,
  });
  if (!isComplete(response)) throw toStatusError(response, { url, hints: HINTS });
  return slicer.run(readBody(url, response.body), signal);
}
