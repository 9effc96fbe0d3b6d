const TIMEOUT_MS = 10_000;

/** Speaks to the admin API with the token of the quickstart. */
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
    const answer = text === "" ? undefined : JSON.parse(text);
    if (!response.ok) throw new AdminError(method, path, { status: response.status, answer });
    return answer;
  };

  return {
    url,
    headers,
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, body),
  };
}

/** The admin API said no. */
export class AdminError extends Error {
  name = "AdminError";

  constructor(method, path, { status, answer }) {
    const reason = answer?.details?.[0]?.message ?? answer?.message ?? "no reason was given";
    super(`${method} /api/admin${path} was answered with ${status}: ${reason}`);
    this.status = status;
  }
}
