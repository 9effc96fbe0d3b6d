const TIMEOUT_MS = 60_000;

/** Creates a client of the admin API of a flag-management service. */
export function createAdminClient(origin, token) {
  const url = (path) => `${origin}/api/admin${path}`;
  const headers = { authorization: token };

  const send = async (method, path, body) => {
    const response = await fetch(url(path), {
      method,
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const result = text === "" ? undefined : JSON.parse(text);
    if (!response.ok) throw new AdminError(method, path, { status: response.status, result });
    return result;
  };

  return {
    url,
    headers,
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, body),
    put: (path, body) => send("PUT", path, body),
    delete: (path) => send("DELETE", path),
  };
}

/** An error response of the admin API. */
class AdminError extends Error {
  name = "AdminError";

  constructor(method, path, { status, result }) {
    const reason = result?.details?.[0]?.message ?? result?.message ?? "no reason given";
    super(`${method} /api/admin${path} failed with ${status}: ${reason}`);
    this.status = status;
  }
}
