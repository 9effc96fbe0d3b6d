import type { Response } from "undici";
import { fetch } from "undici";
import type { Connections } from "./connections.ts";
import { Deadline } from "./deadline.ts";
import type { HeaderMap } from "./headers.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import { describeCause, describeUrl, UpstreamError } from "./upstream-error.ts";

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

const MAX_BODY_BYTES = 64 * 1024 * 1024;

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
    return this.#observed(request, (headers) =>
      this.#send({ ...request, headers: { ...request.headers, ...headers } }),
    );
  }

  /** Sends a request with the additional headers of the observer, and reports the result to it. */
  async #observed<Response extends { readonly status: number }>(
    { method, url }: UpstreamRequest,
    send: (headers: ObservedRequest["headers"]) => Promise<Response>,
  ): Promise<Response> {
    const observed = this.#observe?.({ method, url });
    if (observed === undefined) return send({});
    try {
      const response = await send(observed.headers);
      observed.end({ status: response.status });
      return response;
    } catch (error) {
      observed.end({ error });
      throw error;
    }
  }

  async #send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const deadline = new Deadline(request.signal, this.#timeoutMs);
    try {
      const response = await this.#fetch(request, deadline);
      return await this.#readResponse(response);
    } catch (cause) {
      const error = toCallError(cause, request.url, deadline);
      deadline.end();
      throw error;
    } finally {
      deadline.clear();
    }
  }

  /**
   * Resolves to a response with any status once its headers have arrived; throws an `UpstreamError`
   * if there is no response. The body may never end, but must not be silent for longer than
   * `maxSilenceMs`.
   */
  open(request: UpstreamRequest, maxSilenceMs: number): Promise<OpenResponse> {
    return this.#observed(request, (headers) =>
      this.#open({ ...request, headers: { ...request.headers, ...headers } }, maxSilenceMs),
    );
  }

  async #open(request: UpstreamRequest, maxSilenceMs: number): Promise<OpenResponse> {
    const deadline = new Deadline(request.signal, this.#timeoutMs);
    try {
      const { status, headers, body } = await this.#fetch(request, deadline);
      const onChunk = (): void => deadline.renew(maxSilenceMs);
      onChunk();
      const toError = (cause: unknown): UpstreamError => toCallError(cause, request.url, deadline);
      const chunks = readChunks(body ?? [], onChunk, toError);
      return { status, headers, chunks, close: () => deadline.end() };
    } catch (cause) {
      const error = toCallError(cause, request.url, deadline);
      deadline.end();
      throw error;
    }
  }

  /** Closes every connection immediately. */
  async close(): Promise<void> {
    await this.#connections.destroy();
  }

  /** Sends the request and follows redirects. */
  async #fetch(request: UpstreamRequest, deadline: Deadline): Promise<Response> {
    const { method, urlSetting, body = null } = request;
    const headers = { ...request.headers, ...(await resolveCredentials(request, deadline)) };
    let { url } = request;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await fetch(url, {
        method,
        headers,
        body,
        redirect: "manual",
        signal: deadline.signal,
        dispatcher: this.#connections.forUrl(url),
      });
      const target = redirectTarget(response, { method, url, urlSetting });
      if (target === undefined) return response;
      await response.body?.cancel();
      url = target;
    }
    const message = `${describeUrl(request.url)} redirects more than ${MAX_REDIRECTS} times`;
    throw new UpstreamError(message, { code: "REDIRECT" });
  }

  async #readResponse(response: Response): Promise<UpstreamResponse> {
    const { status, headers } = response;
    if (response.ok) return { status, headers, body: await readText(response, this.#maxBodyBytes) };
    await response.body?.cancel();
    return { status, headers, body: "" };
  }
}

/** Reads a whole body as UTF-8; throws an `UpstreamError` as soon as it exceeds the limit. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Throwing out of the loop cancels the stream, and closes its connection.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) {
      const message = `The upstream sent more than ${maxBytes} bytes`;
      throw new UpstreamError(message, { code: "TOO_LARGE" });
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, sizeBytes));
}

async function* readChunks(
  body: AsyncIterable<unknown> | Iterable<unknown>,
  onChunk: () => void,
  toError: (cause: unknown) => UpstreamError,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      onChunk();
      yield chunk as Uint8Array;
    }
  } catch (cause) {
    throw toError(cause);
  }
}

async function resolveCredentials(
  request: UpstreamRequest,
  deadline: Deadline,
): Promise<HeaderMap> {
  if (request.credentials === undefined) return {};
  try {
    return await deadline.race(request.credentials());
  } catch (cause) {
    if (deadline.signal.aborted) throw cause;
    throw new UpstreamError(`Cannot create the request headers: ${describeCause(cause)}`, {
      code: "HEADERS",
      cause,
    });
  }
}

function toCallError(cause: unknown, url: URL, deadline: Deadline): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const code = deadline.isExpired ? "TIMEOUT" : "NETWORK";
  const reason = describeCause(deadline.isExpired ? deadline.signal.reason : cause);
  return new UpstreamError(`Cannot reach ${describeUrl(url)}: ${reason}`, { code, cause });
}
