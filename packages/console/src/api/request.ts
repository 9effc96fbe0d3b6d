/** An error response of the service. */
export class ApiError extends Error {
  readonly status: number;
  /** Messages about single fields of the body. */
  readonly details: readonly { readonly message: string; readonly path?: string }[];

  constructor(status: number, body: Partial<Pick<ApiError, "name" | "message" | "details">>) {
    super(body.message ?? `The service responded with status ${status}`);
    this.name = body.name ?? "ApiError";
    this.status = status;
    this.details = body.details ?? [];
  }
}

/** Thrown when there is no response at all. */
class UnreachableError extends Error {
  constructor(cause: unknown) {
    super("The service cannot be reached. Check your connection and try again", { cause });
    this.name = "UnreachableError";
  }
}

const GATEWAY_STATUSES: readonly number[] = [502, 503, 504];

/** Whether the service or its database does not respond at the moment, so that a later attempt can succeed. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ApiError) return GATEWAY_STATUSES.includes(error.status);
  return error instanceof UnreachableError;
}

interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** ETag of the version that the change is based on: the service rejects it if there is a newer one. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal;
}

/** A response body with the ETag of its version. */
export interface Versioned<Value> {
  readonly value: Value;
  readonly etag: string | undefined;
}

/**
 * Sends a request to the service with the session of this browser.
 *
 * @param path relative to the address of the console, for example `api/admin/segments`
 * @returns the body of the response; undefined if it is empty
 * @throws {ApiError} if the response is an error
 * @throws {UnreachableError} if there is no response
 */
export async function request<Body>(path: string, options: RequestOptions = {}): Promise<Body> {
  const { value } = await requestVersioned<Body>(path, options);
  return value;
}

/** Like `request()`, but also returns the ETag, which a change of this version sends as `ifMatch`. */
export async function requestVersioned<Body>(
  path: string,
  { method = "GET", body, ifMatch, signal }: RequestOptions = {},
): Promise<Versioned<Body>> {
  const response = await fetch(new URL(path, document.baseURI), {
    method,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
    credentials: "same-origin",
  }).catch((error: unknown) => {
    throw isAbort(error) ? error : new UnreachableError(error);
  });
  const text = await response.text();
  if (!response.ok) throw new ApiError(response.status, parseErrorBody(text));
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service defines the type
    value: (text === "" ? undefined : JSON.parse(text)) as Body,
    etag: response.headers.get("etag") ?? undefined,
  };
}

/** Builds a path of the admin API. Text in the placeholders is encoded. */
export function adminPath(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return `api/admin${strings.reduce((path, text, index) => path + encodeURIComponent(values[index - 1] ?? "") + text)}`;
}

function parseErrorBody(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    // For example the page of a gateway.
    return {};
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
