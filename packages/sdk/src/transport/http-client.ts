import type { Response } from "undici";
import { fetch } from "undici";
import type { Connections } from "./connections.ts";
import { Deadline } from "./deadline.ts";
import type { HeaderMap } from "./header-map.ts";
import { readText } from "./read-text.ts";
import { MAX_REDIRECTS, redirectTarget } from "./redirect.ts";
import { describeCause, UpstreamError } from "./upstream-error.ts";

export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** The setting that holds `url`, for error messages. */
  readonly urlSetting: string;
  readonly headers: HeaderMap;
  /** Creates the secret headers, once per call: the token and what the application adds. */
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

/** An answer whose body arrives bit by bit, for as long as it takes. */
export interface OpenResponse extends Pick<UpstreamResponse, "status" | "headers"> {
  /** Throws an `UpstreamError` when the connection breaks or is silent for too long. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Hangs up. To be called in any case, also after the end. */
  readonly close: () => void;
}

export interface HttpClientOptions {
  readonly connections: Connections;
  /** The limit for a whole call: header function, connection, redirects and body. */
  readonly timeoutMs: number;
  /** The limit for a body after decompression. */
  readonly maxBodyBytes?: number;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Makes calls that end in time, whatever the other side does. */
export class HttpClient {
  readonly #connections: Connections;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;

  constructor(options: HttpClientOptions) {
    this.#connections = options.connections;
    this.#timeoutMs = options.timeoutMs;
    this.#maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
  }

  /** Resolves with an answer of any status; throws an `UpstreamError` when there is none. */
  async send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const deadline = new Deadline(request.signal, this.#timeoutMs);
    try {
      const response = await this.#follow(request, deadline);
      return await this.#receive(response);
    } catch (cause) {
      const error = toCallError(cause, request.url, deadline);
      deadline.end();
      throw error;
    } finally {
      deadline.clear();
    }
  }

  /**
   * Resolves with an answer of any status before its body has come; throws an `UpstreamError` when
   * there is none. A body may take for ever, but must not be silent for longer than `maxSilenceMs`.
   */
  async open(request: UpstreamRequest, maxSilenceMs: number): Promise<OpenResponse> {
    const deadline = new Deadline(request.signal, this.#timeoutMs);
    try {
      const { status, headers, body } = await this.#follow(request, deadline);
      deadline.renew(maxSilenceMs);
      const sign = (): void => deadline.renew(maxSilenceMs);
      const fail = (cause: unknown): UpstreamError => toCallError(cause, request.url, deadline);
      const chunks = receiveChunks(body ?? [], sign, fail);
      return { status, headers, chunks, close: () => deadline.end() };
    } catch (cause) {
      const error = toCallError(cause, request.url, deadline);
      deadline.end();
      throw error;
    }
  }

  /** Breaks every connection. */
  async close(): Promise<void> {
    await this.#connections.destroy();
  }

  async #follow(request: UpstreamRequest, deadline: Deadline): Promise<Response> {
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

  async #receive(response: Response): Promise<UpstreamResponse> {
    const { status, headers } = response;
    if (response.ok) return { status, headers, body: await readText(response, this.#maxBodyBytes) };
    await response.body?.cancel();
    return { status, headers, body: "" };
  }
}

async function* receiveChunks(
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

/** The address without credentials, query and fragment: fit for a message. */
export function describeUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
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
    throw new UpstreamError(`Cannot make the request headers: ${describeCause(cause)}`, {
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
