export const MAX_REDIRECTS = 5;

const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
const FOR_GET: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface RedirectingResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/**
 * Where a response sends us; undefined when it is an answer in itself.
 *
 * A POST follows only the redirects that keep it a POST: turned into a GET it would succeed and
 * deliver nothing.
 */
export function redirectTarget(
  response: RedirectingResponse,
  method: "GET" | "POST",
  base: URL,
): URL | undefined {
  const followed = method === "GET" ? FOR_GET : KEEPS_METHOD;
  const location = response.headers.get("location");
  if (location === null || !followed.has(response.status)) return undefined;
  if (!URL.canParse(location, base.href)) return undefined;
  const target = new URL(location, base);
  return target.protocol === "http:" || target.protocol === "https:" ? target : undefined;
}

/** Whether headers meant for `from` may be sent to `to`: the same origin, or its upgrade to TLS. */
export function sharesCredentials(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:";
  // An empty port is the default one of its scheme.
  return isUpgrade && from.hostname === to.hostname && from.port === "" && to.port === "";
}
