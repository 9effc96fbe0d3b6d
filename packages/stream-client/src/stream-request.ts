/** A request of a client for its toggles. */
export interface ToggleRequest {
  readonly url: string;
  readonly headers: RequestInit["headers"];
  readonly body: unknown;
}

/** Returns the same key for requests with the same URL and body. */
export function toKey({ url, body }: ToggleRequest): string {
  return `${url} ${typeof body === "string" ? body : ""}`;
}

/** Whether a URL returns toggles. Clients report usage through the same `fetch`. */
export function isToggleUrl(url: string): boolean {
  return !/\/client\/(?:metrics|register)\/?$/.test(new URL(url).pathname);
}

/** The suffix of the endpoints that include toggles that are off. */
const ALL = /\/all\/?$/;

/** Returns the endpoint of streams for a request. */
export function streamEndpointOf({ url }: ToggleRequest): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(ALL, "").replace(/\/$/, "")}/stream`;
}

/** Returns the body with which a stream of the same toggles is requested. */
export function streamBodyOf({ url, body }: ToggleRequest): string {
  const { pathname, searchParams } = new URL(url);
  const request: unknown =
    typeof body === "string" ? JSON.parse(body) : { context: contextOf(searchParams) };
  return JSON.stringify(ALL.test(pathname) ? { ...(request as object), all: true } : request);
}

function contextOf(query: URLSearchParams): object {
  const context: Record<string, string> = {};
  const properties: Record<string, string> = {};
  for (const [name, value] of query) {
    const property = /^properties\[(.*)\]$/.exec(name)?.[1];
    if (property === undefined) context[name] = value;
    else properties[property] = value;
  }
  return { ...context, properties };
}
