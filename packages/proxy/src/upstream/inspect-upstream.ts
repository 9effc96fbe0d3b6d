import { compileSnapshot, parseDocument } from "flags-engine";
import type { FeatureDocument, Snapshot } from "flags-engine";
import { type FlagsClientOptions, UpstreamError } from "flags-sdk";
import { connectUpstream, createConnections, HOST_NAME, resolveOptions } from "flags-sdk/internal";
import {
  createDocumentFilter,
  type Settings,
  toUpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
  HttpClient,
} from "flags-sdk/neutral";

export interface UpstreamInspection {
  /** The flags that a client would use: without those that do not match its filters. */
  readonly snapshot: Snapshot;
  readonly document: FeatureDocument;
  readonly segmentCount: number;
  readonly environment: string | undefined;
  readonly sizeBytes: number;
  /** Duration of the first request, which includes opening the connection and the transfer. */
  readonly firstRequestMs: number;
  /** Duration of a request on an open connection for definitions that have not changed. */
  readonly pollMs: number;
  /** Whether the response to that request was a 304, which transfers nothing. */
  readonly isPollUnchanged: boolean;
  readonly clock: ClockOffset | undefined;
  /** Undefined: the request for deltas failed, so it is unknown. */
  readonly offersDelta: boolean | undefined;
  /** Undefined: the request for a stream failed, so it is unknown. */
  readonly offersStreaming: boolean | undefined;
  readonly warnings: readonly string[];
}

/** How far the clock of the upstream is ahead of the local one; negative: behind. */
export interface ClockOffset {
  readonly offsetMs: number;
  /** The true offset differs by no more than this. */
  readonly uncertaintyMs: number;
}

/** @throws {UpstreamError} if the definitions cannot be fetched or are unusable */
export async function inspectUpstream(options: FlagsClientOptions): Promise<UpstreamInspection> {
  const settings = resolveOptions(options);
  const { connection } = settings;
  const http = new RecordingHttpClient({
    connections: createConnections(connection),
    timeoutMs: connection.timeoutMs,
  });
  try {
    return await inspect(settings, http);
  } finally {
    await http.close();
  }
}

async function inspect(settings: Settings, http: RecordingHttpClient): Promise<UpstreamInspection> {
  const { api } = connectUpstream(settings, http);
  const { signal } = new AbortController();
  const first = await api.fetchFeatures(undefined, signal);
  const firstExchange = http.last;
  const warnings: string[] = [];
  const filter = createDocumentFilter(settings.filters, (message) => warnings.push(message));
  const parsed = parse(filter(first.document));
  const second = await api.fetchFeatures(first.etag, signal);
  const poll = http.last;
  return {
    snapshot: compileSnapshot(parsed, {
      strategies: settings.strategies,
      hostname: HOST_NAME,
      now: Date.now,
      random: Math.random,
    }),
    document: parsed,
    segmentCount: parsed.segments.size,
    environment: readEnvironment(first.document),
    sizeBytes: Buffer.byteLength(firstExchange?.response.body ?? ""),
    firstRequestMs: firstExchange?.durationMs ?? 0,
    pollMs: poll?.durationMs ?? 0,
    isPollUnchanged: second.document === undefined,
    clock: poll && measureClock(poll),
    offersDelta: await isOffered(() => api.fetchDelta(undefined, signal)),
    offersStreaming: await isOffered(async () => (await api.openStream(undefined, signal)).close()),
    warnings,
  };
}

function parse(document: unknown): FeatureDocument {
  try {
    return parseDocument(document);
  } catch (error) {
    throw toUpstreamError(error);
  }
}

function readEnvironment(document: unknown): string | undefined {
  const { query } = document as { readonly query?: { readonly environment?: unknown } | null };
  return typeof query?.environment === "string" ? query.environment : undefined;
}

/** Undefined: the request failed, but not because the endpoint is missing. */
async function isOffered(request: () => Promise<unknown>): Promise<boolean | undefined> {
  try {
    await request();
    return true;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return error.code === "NOT_OFFERED" ? false : undefined;
  }
}

interface Exchange {
  readonly response: UpstreamResponse;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly durationMs: number;
}

class RecordingHttpClient extends HttpClient {
  last: Exchange | undefined;

  override async send(request: UpstreamRequest): Promise<UpstreamResponse> {
    this.last = undefined;
    const sentAtMs = Date.now();
    const startMs = performance.now();
    const response = await super.send(request);
    this.last = {
      response,
      sentAtMs,
      receivedAtMs: Date.now(),
      durationMs: performance.now() - startMs,
    };
    return response;
  }
}

const SECOND_MS = 1000;

/** The upstream created the `Date` header between sending and receiving, and rounded it down to a second. */
function measureClock({ response, sentAtMs, receivedAtMs }: Exchange): ClockOffset | undefined {
  const dateMs = Date.parse(response.headers.get("date") ?? "");
  // A cache has stored the response earlier, together with its date.
  const isStored = Number(response.headers.get("age") ?? 0) > 0;
  if (Number.isNaN(dateMs) || isStored) return undefined;
  const minOffsetMs = dateMs - receivedAtMs;
  const maxOffsetMs = dateMs + SECOND_MS - sentAtMs;
  return {
    offsetMs: (minOffsetMs + maxOffsetMs) / 2,
    uncertaintyMs: (maxOffsetMs - minOffsetMs) / 2,
  };
}
