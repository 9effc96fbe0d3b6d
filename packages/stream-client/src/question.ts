/** What a client asks: where, and for which context. */
export interface Question {
  readonly url: string;
  readonly headers: RequestInit["headers"];
  readonly body: unknown;
}

/** Equal for questions that have one answer. */
export function toKey({ url, body }: Question): string {
  return `${url} ${typeof body === "string" ? body : ""}`;
}

/** Whether a request is for toggles: clients report usage by the same `fetch`. */
export function asksForToggles(url: string): boolean {
  return !/\/client\/(?:metrics|register)\/?$/.test(new URL(url).pathname);
}

/** How the address ends at which clients ask for toggles that are off, too. */
const ALL = /\/all\/?$/;

/** Where the stream of a question is asked for. */
export function streamUrlOf({ url }: Question): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(ALL, "").replace(/\/$/, "")}/stream`;
}

/** The same question as the body of a request for a stream. */
export function streamBodyOf({ url, body }: Question): string {
  const { pathname, searchParams } = new URL(url);
  const asked: unknown =
    typeof body === "string" ? JSON.parse(body) : { context: contextOf(searchParams) };
  return JSON.stringify(ALL.test(pathname) ? { ...(asked as object), all: true } : asked);
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
