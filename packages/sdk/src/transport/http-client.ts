import { Deadline } from "./deadline.ts";
import type { HeaderMap } from "./headers.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import { describeCause, describeUrl, UpstreamError } from "./upstream-error.ts";

export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly urlSetting: string;
  readonly headers: HeaderMap;
  readonly credentials?: (() => Promise<HeaderMap>) | undefined;
  readonly body?: string | undefined;
  /** The size limit for the body of the response after decompression. @default 64 MiB */
  readonly maxBodyBytes?: number;
  readonly signal: AbortSignal;
}

interface ResponseHead {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

export interface UpstreamResponse extends ResponseHead {
  /** Empty unless the status is a success. */
  readonly body: string;
}

/** A response whose body arrives in chunks and may never end. */
export interface OpenResponse extends ResponseHead {
  /** Throws an `UpstreamError` if the connection breaks or is silent for too long. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Closes the connection. Must always be called, even after the end of the body. */
  readonly close: () => void;
}

/** Sends requests in the way of a runtime. */
export interface Connections {
  /** Resolves to a response when its headers have arrived. Does not follow redirects. */
  send(request: ConnectionRequest): Promise<ConnectionResponse>;
  destroy(): void;
}

export interface ConnectionRequest {
  readonly url: URL;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly headers: HeaderMap;
  readonly body?: string | Uint8Array | undefined;
  /** Also ends a response. */
  readonly signal: AbortSignal;
}

/** A response that must be read or discarded. */
export interface ConnectionResponse extends ResponseHead {
  /** Decompressed. */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

export interface HttpClientOptions {
  readonly connections: Connections;
  /** The time limit for a whole call: header function, connection, redirects and body. */
  readonly timeoutMs: number;
  /** Observes requests. For a response that may never end, only until its headers arrive. @default none */
  readonly observe?: RequestObserver | undefined;
}

export type RequestObserver = (request: {
  readonly method: string;
  readonly url: URL;
}) => ObservedRequest | undefined;

export interface ObservedRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Called once: with the status when the response has been read, or with the error. */
  readonly end: (result: { readonly status: number } | { readonly error: unknown }) => void;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Makes HTTP calls with limits on time and size. */
export class HttpClient {
  readonly #options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /** Resolves to a response with any status; throws an `UpstreamError` if there is no response. */
  send(request: UpstreamRequest): Promise<UpstreamResponse> {
    return this.#call(request, async (response, deadline) => {
      const { status, headers } = response;
      const isSuccess = status >= 200 && status < 300;
      if (!isSuccess) response.discard();
      const body = isSuccess ? await readText(response.body, request.maxBodyBytes) : "";
      deadline.clear();
      return { status, headers, body };
    });
  }

  /** Like `send()`, once the headers have arrived. The body may not be silent for longer than `maxSilenceMs`. */
  open(request: UpstreamRequest, maxSilenceMs: number): Promise<OpenResponse> {
    return this.#call(request, async ({ status, headers, body }, deadline) => {
      const onChunk = (): void => deadline.renew(maxSilenceMs);
      onChunk();
      const toError = (cause: unknown): UpstreamError => toCallError(cause, request.url, deadline);
      const chunks = readChunks(body, onChunk, toError);
      return { status, headers, chunks, close: () => deadline.end() };
    });
  }

  async close(): Promise<void> {
    this.#options.connections.destroy();
  }

  async #call<Response extends { readonly status: number }>(
    request: UpstreamRequest,
    read: (response: ConnectionResponse, deadline: Deadline) => Promise<Response>,
  ): Promise<Response> {
    const { method, url, signal } = request;
    const observed = this.#options.observe?.({ method, url });
    const deadline = new Deadline(signal, this.#options.timeoutMs);
    try {
      const response = await read(await this.#send(request, observed, deadline), deadline);
      observed?.end({ status: response.status });
      return response;
    } catch (cause) {
      const error = toCallError(cause, url, deadline);
      deadline.end();
      observed?.end({ error });
      throw error;
    }
  }

  async #send(
    request: UpstreamRequest,
    observed: ObservedRequest | undefined,
    deadline: Deadline,
  ): Promise<ConnectionResponse> {
    const { method, urlSetting, body } = request;
    const { signal } = deadline;
    const credentials = await resolveCredentials(request, deadline);
    const headers = { ...request.headers, ...observed?.headers, ...credentials };
    let { url } = request;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const { connections } = this.#options;
      // oxlint-disable-next-line no-await-in-loop -- each request follows the response to the previous one
      const response = await connections.send({ url, method, headers, body, signal });
      const target = redirectTarget(response, { method, url, urlSetting });
      if (target === undefined) return response;
      response.discard();
      url = target;
    }
    const message = `${describeUrl(request.url)} redirects more than ${MAX_REDIRECTS} times`;
    throw new UpstreamError(message, { code: "REDIRECT" });
  }
}

async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_BODY_BYTES,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  // Throwing out of the loop destroys the stream, and closes its connection.
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) {
      const message = `The upstream sent more than ${maxBytes} bytes`;
      throw new UpstreamError(message, { code: "TOO_LARGE" });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
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

/** The time that the header function takes counts towards the deadline. */
async function resolveCredentials(
  { credentials }: UpstreamRequest,
  deadline: Deadline,
): Promise<HeaderMap> {
  if (credentials === undefined) return {};
  try {
    return await deadline.race(credentials());
  } catch (cause) {
    if (deadline.signal.aborted) throw cause;
    const message = `Cannot create the request headers: ${describeCause(cause)}`;
    throw new UpstreamError(message, { code: "HEADERS", cause });
  }
}

function toCallError(cause: unknown, url: URL, deadline: Deadline): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const reason = describeCause(deadline.isExpired ? deadline.signal.reason : cause);
  return new UpstreamError(`Cannot reach ${describeUrl(url)}: ${reason}`, {
    code: deadline.isExpired ? "TIMEOUT" : "NETWORK",
    cause,
  });
}
