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

/** Where the stream of a question is asked for. */
export function streamUrlOf({ url }: Question): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, "")}/stream`;
}

/** The same question as the body of a request for a stream. */
export function streamBodyOf({ url, body }: Question): string {
  if (typeof body === "string") return body;
  const context: Record<string, string> = {};
  const properties: Record<string, string> = {};
  for (const [name, value] of new URL(url).searchParams) {
    const property = /^properties\[(.*)\]$/.exec(name)?.[1];
    if (property === undefined) context[name] = value;
    else properties[property] = value;
  }
  return JSON.stringify({ context: { ...context, properties } });
}
