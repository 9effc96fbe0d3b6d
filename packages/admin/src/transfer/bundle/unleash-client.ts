import { isRecord } from "flags-server-kit/neutral";

/** Longest answers of a server together. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Why a server cannot be read. The message contains no token. */
export class UnleashServerError extends Error {
  override readonly name = "UnleashServerError";
}

/** Reads the admin API of an Unleash server. */
export interface UnleashClient {
  /** The address that is read, without credentials. */
  readonly url: string;
  /**
   * Reads a path below `/api/admin`.
   *
   * @throws {UnleashServerError} if the answer is no JSON object or list, takes longer than 30 s, or all answers are too long
   */
  get(path: string): Promise<unknown>;
  /**
   * Same as `get()`; undefined if the path does not exist, as in some versions and editions, or if the answer has one of the
   * accepted statuses.
   */
  find(path: string, accepted?: readonly number[]): Promise<unknown>;
}

/**
 * @param from address of the server, with or without `/api`
 * @throws {UnleashServerError} if the address is invalid
 */
export function createUnleashClient(from: string, token: string): UnleashClient {
  const url = parseAddress(from);
  let totalBytes = 0;

  async function send(path: string): Promise<Response> {
    try {
      return await fetch(`${url}/api/admin${path}`, {
        headers: { authorization: token, accept: "application/json" },
        // NOTE: the token must not be sent to another server.
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new UnleashServerError(`${url} cannot be reached: ${explain(error)}`, { cause: error });
    }
  }

  async function find(path: string, accepted: readonly number[] = []): Promise<unknown> {
    const response = await send(path);
    const place = `${url}/api/admin${path}`;
    if (response.status === 404 || accepted.includes(response.status)) {
      await response.body?.cancel();
      return undefined;
    }
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new UnleashServerError(explainStatus(response, place));
    }
    return parse(await readText(response, place), place);
  }

  async function readText(response: Response, place: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of response.body ?? []) {
        totalBytes += chunk.length;
        if (totalBytes > MAX_TOTAL_BYTES) {
          throw new UnleashServerError(
            `The answers of ${url} are longer than ${MAX_TOTAL_BYTES / 1024 / 1024} MiB: import projects separately`,
          );
        }
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof UnleashServerError) throw error;
      throw new UnleashServerError(`The answer of ${place} is incomplete: ${explain(error)}`, {
        cause: error,
      });
    }
    return Buffer.concat(chunks).toString();
  }

  return {
    url,
    find,
    get: async (path) => {
      const found = await find(path);
      if (found !== undefined) return found;
      throw new UnleashServerError(
        `${url}/api/admin${path} does not exist: check that ${url} is an Unleash server of version 4 or later`,
      );
    },
  };
}

function parseAddress(from: string): string {
  const url = URL.canParse(from) ? new URL(from) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UnleashServerError(
      "must be the address of an Unleash server, such as https://unleash.example.com",
    );
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new UnleashServerError("must be an address without credentials, query and fragment");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/api(?:\/admin)?$/, "");
}

function explainStatus({ status, headers }: Response, place: string): string {
  if (status === 401) {
    return `${place} answers with 401: the token is unknown or has expired`;
  }
  if (status === 403) {
    return `${place} answers with 403: the token must be an admin token, or the personal token of an admin`;
  }
  if (status >= 300 && status < 400) {
    const target = headers.get("location") ?? "";
    const base = URL.canParse(target, place) ? ` to ${new URL(target, place).origin}` : "";
    return `${place} redirects${base}: use the address of the server itself`;
  }
  return `${place} answers with ${status}`;
}

function parse(text: string, place: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) || Array.isArray(value)) return value;
  } catch {
    // The text is no JSON.
  }
  throw new UnleashServerError(
    `${place} does not answer with JSON: check that it is the admin API of an Unleash server`,
  );
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}
