// Works like a client: requests the flags, with the ETag of the last response.

/** Sends `GET /proxy`. If nothing has changed, the response is a 304 without a body. */
export function createEvaluator(proxyUrl, clientKey) {
  let last = { url: "", etag: null, toggles: new Map() };

  return async function evaluate(query) {
    const url = query === "" ? proxyUrl : `${proxyUrl}?${query}`;
    const etag = last.url === url ? last.etag : null;
    const startedAt = performance.now();
    const response = await fetch(url, {
      headers: { authorization: clientKey, ...(etag && { "if-none-match": etag }) },
      cache: "no-store",
    });
    const body = response.status === 304 ? undefined : await response.json();
    const milliseconds = Math.round(performance.now() - startedAt);
    if (body !== undefined && !response.ok) throw new Error(body.error);

    const toggles = body ? new Map(body.toggles.map((one) => [one.name, one])) : last.toggles;
    last = { url, etag: response.headers.get("etag") ?? etag, toggles };
    return { toggles, status: response.status, etag: last.etag, milliseconds };
  };
}
