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

/**
 * Sends a request and reports its result to an observer.
 *
 * @param send sends the request with additional headers
 */
export async function sendObserved<Response extends { readonly status: number }>(
  observed: ObservedRequest | undefined,
  send: (headers: ObservedRequest["headers"]) => Promise<Response>,
): Promise<Response> {
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
