import type { Identity } from "../identity.ts";
import { CLIENT_SPEC_VERSION, SDK_NAME } from "../identity.ts";

export type HeaderMap = Readonly<Record<string, string>>;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// RFC 9110 §5.5, without the obsolete bytes above 0x7f, which proxies handle inconsistently.
const VALUE = /^[\t\x20-\x7e]*$/;

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

export function isHeaderValue(value: unknown): value is string {
  return typeof value === "string" && VALUE.test(value);
}

/** Converts any string to a valid header value: percent-encodes UTF-8 beyond printable ASCII. */
export function toHeaderValue(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, percentEncode).trim();
}

function percentEncode(character: string): string {
  const hex = Buffer.from(character, "utf8").toString("hex").toUpperCase();
  return hex.replaceAll(/../g, "%$&");
}

/**
 * Lower-cases the names.
 *
 * @throws {TypeError} for an invalid name or value; the message names the header without its value
 */
export function toHeaderMap(headers: Readonly<Record<string, unknown>>): HeaderMap {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!isHeaderName(name)) throw new TypeError("A header has a name that HTTP does not allow");
      if (!isHeaderValue(value))
        throw new TypeError(`Header ${name} has a value that HTTP does not allow`);
      return [name.toLowerCase(), value];
    }),
  );
}

export function identityHeaders(identity: Identity, intervalMs: number): HeaderMap {
  const appName = toHeaderValue(identity.appName);
  return {
    accept: "application/json",
    "user-agent": appName,
    "unleash-appname": appName,
    "unleash-instanceid": toHeaderValue(identity.instanceId),
    "unleash-connection-id": identity.connectionId,
    "unleash-interval": String(intervalMs),
    "unleash-sdk": SDK_NAME,
  };
}

export function definitionHeaders(etag: string | undefined): HeaderMap {
  const spec = { "unleash-client-spec": CLIENT_SPEC_VERSION };
  return etag === undefined ? spec : { ...spec, "if-none-match": etag };
}

export function streamHeaders(lastEventId: string | undefined): HeaderMap {
  return {
    ...definitionHeaders(undefined),
    accept: "text/event-stream",
    // An intermediary that compresses may delay an event, to compress it together with the next.
    "accept-encoding": "identity",
    "cache-control": "no-cache",
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
  };
}

/** Returns headers for one request, for instance with a token that expires. */
export type CustomHeadersFunction = () => Promise<Readonly<Record<string, string>>>;

export interface CredentialSettings {
  readonly token: string | undefined;
  readonly customHeaders: HeaderMap;
  readonly customHeadersFunction: CustomHeadersFunction | undefined;
}

/**
 * Returns the headers that only the upstream may see. The function's headers override the fixed
 * ones, which override the token.
 */
export async function credentialHeaders(settings: CredentialSettings): Promise<HeaderMap> {
  const perRequest = toHeaderMap((await settings.customHeadersFunction?.()) ?? {});
  const headers: Record<string, string> = { ...settings.customHeaders, ...perRequest };
  if (settings.token !== undefined) headers["authorization"] ??= settings.token;
  // The upstream counts connections by these headers, so the application cannot override them.
  delete headers["unleash-connection-id"];
  delete headers["unleash-interval"];
  return headers;
}
