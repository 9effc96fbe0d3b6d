import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { SDK_NAME } from "../identity.ts";
import type { Connections } from "./connections.ts";
import {
  MAX_BODY_BYTES,
  resolveCredentials,
  toCallError,
  tooLarge,
  tooManyRedirects,
} from "./call-errors.ts";
import { Deadline } from "./deadline.ts";
import type { HeaderMap } from "./headers.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import type { UpstreamError } from "./upstream-error.ts";

export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** The setting that contains `url`, for error messages. */
  readonly urlSetting: string;
  readonly headers: HeaderMap;
  /** Returns the secret headers, once per call: the token and custom headers. */
  readonly credentials?: (() => Promise<HeaderMap>) | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Empty unless the status is a success. */
  readonly body: string;
}

/** A response whose body arrives in chunks and may never end. */
export interface OpenResponse extends Pick<UpstreamResponse, "status" | "headers"> {
  /** Throws an `UpstreamError` if the connection breaks or is silent for too long. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Closes the connection. Must always be called, even after the end of the body. */
  readonly close: () => void;
}

export interface HttpClientOptions {
  readonly connections: Connections;
  /** The time limit for a whole call: header function, connection, redirects and body. */
  readonly timeoutMs: number;
  /** The size limit for a body after decompression. @default 64 MiB */
  readonly maxBodyBytes?: number;
  /** Observes requests. For a response that may never end, only until its headers arrive. @default none */
  readonly observe?: RequestObserver | undefined;
}

/** Observes the requests to the upstream, for example to trace them. */
export type RequestObserver = (request: {
  readonly method: string;
  readonly url: URL;
}) => ObservedRequest | undefined;

/** A request that is observed. */
export interface ObservedRequest {
  /** Headers to send with the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once: with the status when the response has been read, or with the error. */
  readonly end: (result: { readonly status: number } | { readonly error: unknown }) => void;
}

/** Makes HTTP calls with limits on time and size. */
export class HttpClient {
  readonly #connections: Connections;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #observe: RequestObserver | undefined;

  constructor(options: HttpClientOptions) {
    this.#connections = options.connections;
    this.#timeoutMs = options.timeoutMs;
    this.#maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
    this.#observe = options.observe;
  }

  /** Resolves to a response with any status; throws an `UpstreamError` if there is no response. */
  send(request: UpstreamRequest): Promise<UpstreamResponse> {
    return this.#call(request, async (response, deadline) => {
      const complete = await this.#readResponse(response);
      deadline.clear();
      return complete;
    });
  }

  /**
   * Resolves to a response with any status once its headers have arrived; throws an `UpstreamError`
   * if there is no response. The body may never end, but must not be silent for longer than
   * `maxSilenceMs`.
   */
  open(request: UpstreamRequest, maxSilenceMs: number): Promise<OpenResponse> {
    return this.#call(request, async (response, deadline) => {
      const onChunk = (): void => deadline.renew(maxSilenceMs);
      onChunk();
      const toError = (cause: unknown): UpstreamError => toCallError(cause, request.url, deadline);
      const chunks = readChunks(decode(response), onChunk, toError);
      return { ...headOf(response), chunks, close: () => deadline.end() };
    });
  }

  /** Sends a request with the additional headers of the observer, and reports the result to it. */
  async #call<Response extends { readonly status: number }>(
    request: UpstreamRequest,
    read: (response: IncomingMessage, deadline: Deadline) => Promise<Response>,
  ): Promise<Response> {
    const { method, url, signal } = request;
    const observed = this.#observe?.({ method, url });
    const deadline = new Deadline(signal, this.#timeoutMs);
    try {
      const response = await read(await this.#fetch(request, observed, deadline), deadline);
      observed?.end({ status: response.status });
      return response;
    } catch (cause) {
      const error = toCallError(cause, url, deadline);
      deadline.end();
      observed?.end({ error });
      throw error;
    }
  }

  /** Closes every connection immediately. */
  async close(): Promise<void> {
    this.#connections.destroy();
  }

  /** Sends the request and follows redirects. */
  async #fetch(
    request: UpstreamRequest,
    observed: ObservedRequest | undefined,
    deadline: Deadline,
  ): Promise<IncomingMessage> {
    const { method, urlSetting, body } = request;
    const { signal } = deadline;
    const headers = {
      "user-agent": SDK_NAME,
      "accept-encoding": ENCODINGS,
      ...request.headers,
      ...observed?.headers,
      ...(await resolveCredentials(request, deadline)),
    };
    let { url } = request;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.#connections.send({ url, method, headers, body, signal });
      const target = redirectTarget(headOf(response), { method, url, urlSetting });
      if (target === undefined) return response;
      discard(response);
      url = target;
    }
    throw tooManyRedirects(request.url);
  }

  async #readResponse(response: IncomingMessage): Promise<UpstreamResponse> {
    const head = headOf(response);
    const isSuccess = head.status >= 200 && head.status < 300;
    if (isSuccess) return { ...head, body: await readText(decode(response), this.#maxBodyBytes) };
    discard(response);
    return { ...head, body: "" };
  }
}

function headOf({
  statusCode: status = 0,
  headers,
}: IncomingMessage): Omit<UpstreamResponse, "body"> {
  return { status, headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null } };
}

/** Keeps the connection only if the whole response has arrived. */
function discard(response: IncomingMessage): void {
  if (response.complete) response.resume();
  else response.destroy();
}

const ENCODINGS = "gzip, deflate, br";
/** A truncated body is not an error of decompression. */
const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = constants.BROTLI_OPERATION_FLUSH;
const DECODERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: () => createGunzip(FLUSH),
  "x-gzip": () => createGunzip(FLUSH),
  deflate: () => createInflate(FLUSH),
  br: () => createBrotliDecompress({ flush: BROTLI_FLUSH, finishFlush: BROTLI_FLUSH }),
};

/** Returns the decompressed body. */
function decode(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"]?.toLowerCase() ?? "";
  const decoder = DECODERS[encoding]?.();
  return decoder === undefined ? response : pipeline(response, decoder, () => undefined);
}

/** Reads a whole body as UTF-8; throws an `UpstreamError` as soon as it exceeds the limit. */
async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Throwing out of the loop destroys the stream, and closes its connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, sizeBytes));
}

async function* readChunks(
  body: AsyncIterable<Uint8Array>,
  onChunk: () => void,
  toError: (cause: unknown) => UpstreamError,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      onChunk();
      yield chunk;
    }
  } catch (cause) {
    throw toError(cause);
  }
}
