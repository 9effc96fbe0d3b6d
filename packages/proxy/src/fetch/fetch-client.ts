import {
  Deadline,
  MAX_BODY_BYTES,
  MAX_REDIRECTS,
  redirectTarget,
  resolveCredentials,
  toCallError,
  tooLarge,
  tooManyRedirects,
  type UpstreamRequest,
  type UpstreamResponse,
} from "flags-sdk/neutral";

/** Makes HTTP calls with `fetch()`, with the limits on time, size and redirects that calls on Node have. */
export class FetchClient {
  readonly #timeoutMs: number;

  /** @param timeoutMs the time limit for a whole call: connection, redirects and body */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves to a response with any status; throws an `UpstreamError` if there is no response. */
  async send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const deadline = new Deadline(request.signal, this.#timeoutMs);
    try {
      return await readResponse(await follow(request, deadline));
    } catch (cause) {
      throw toCallError(cause, request.url, deadline);
    } finally {
      deadline.end();
    }
  }

  /** Streams stay open longer than a request. */
  async open(): Promise<never> {
    throw new TypeError("Flags are polled");
  }
}

/** Sends a request and follows redirects. */
async function follow(request: UpstreamRequest, deadline: Deadline): Promise<Response> {
  const { method, urlSetting, body = null } = request;
  const { signal } = deadline;
  const headers = { ...request.headers, ...(await resolveCredentials(request, deadline)) };
  let { url } = request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    // NOTE: Next.js caches responses otherwise, and Workers may.
    const init = { method, headers, body, signal, redirect: "manual", cache: "no-store" } as const;
    // oxlint-disable-next-line no-await-in-loop -- each request follows the response to the previous one
    const response = await fetch(url, init);
    const target = redirectTarget(response, { method, url, urlSetting });
    if (target === undefined) return response;
    discard(response);
    url = target;
  }
  throw tooManyRedirects(request.url);
}

async function readResponse(response: Response): Promise<UpstreamResponse> {
  const { status, headers, ok } = response;
  if (ok) return { status, headers, body: await readText(response.body) };
  discard(response);
  return { status, headers, body: "" };
}

function discard({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}

/** Reads a body as UTF-8; throws an `UpstreamError` as soon as it exceeds the limit, which closes the connection. */
async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
