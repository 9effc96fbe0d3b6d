import type { Identity } from "../identity.ts";
import { CLIENT_SPEC_VERSION, SDK_NAME } from "../identity.ts";
import type { HeaderMap } from "./header-map.ts";
import { toHeaderMap, toHeaderValue } from "./header-map.ts";

/** The headers by which an upstream recognizes a client; the names are those of its protocol. */
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

/** The headers of a request for definitions: what the client understands and what it has. */
export function definitionHeaders(etag: string | undefined): HeaderMap {
  const spec = { "unleash-client-spec": CLIENT_SPEC_VERSION };
  return etag === undefined ? spec : { ...spec, "if-none-match": etag };
}

/** The headers of a request for an event stream: what the client understands and what it has. */
export function streamHeaders(lastEventId: string | undefined): HeaderMap {
  return {
    ...definitionHeaders(undefined),
    accept: "text/event-stream",
    // Whoever compresses on the way may hold an event back to compress it together with the next.
    "accept-encoding": "identity",
    "cache-control": "no-cache",
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
  };
}

/** Makes headers anew for every request, for instance with a token that expires. */
export type CustomHeadersFunction = () => Promise<Readonly<Record<string, string>>>;

export interface CredentialSettings {
  readonly token: string | undefined;
  readonly customHeaders: HeaderMap;
  readonly customHeadersFunction: CustomHeadersFunction | undefined;
}

/** The headers for the upstream's eyes only. Those made per call win over fixed ones, which win over the token. */
export async function credentialHeaders(settings: CredentialSettings): Promise<HeaderMap> {
  const made = toHeaderMap((await settings.customHeadersFunction?.()) ?? {});
  const headers: Record<string, string> = { ...settings.customHeaders, ...made };
  if (settings.token !== undefined) headers["authorization"] ??= settings.token;
  // The upstream counts connections by these: they are not the application's to change.
  delete headers["unleash-connection-id"];
  delete headers["unleash-interval"];
  return headers;
}
