import { type FlagsClientOptions, UpstreamError } from "flags-sdk";
import { inspectUpstream } from "../upstream/inspect-upstream.ts";
import { codeOf } from "flags-server-kit/command-line";
import type { LoadedConfig } from "../config/assemble-config.ts";

/** @param name names a setting as the operator has set it */
type Hint = (name: (setting: HintSetting) => string) => string;

/** The settings in hints, and their names if they are not set. */
const NAMES = {
  flagsUrl: "FLAGS_URL",
  flagsApiToken: "FLAGS_API_TOKEN",
  upstreamCaFile: "FLAGS_UPSTREAM_CA_FILE",
  upstreamCertFile: "FLAGS_UPSTREAM_CERT_FILE",
  upstreamKeyFile: "FLAGS_UPSTREAM_KEY_FILE",
} as const;

type HintSetting = keyof typeof NAMES;

const CLOSED: Hint = (name) =>
  `the connection was closed without a response. Check whether ${name("flagsUrl")} must begin with https://`;

/** An upstream may close the connection before its alert about a missing client certificate is read. */
const CLOSED_WITH_TLS: Hint = (name) =>
  `the connection was closed without a response. Check whether the upstream requires a client certificate (${name("upstreamCertFile")})`;

const NO_RESPONSE: Hint = (name) =>
  `there is no response. Check the host and port in ${name("flagsUrl")}, firewalls and HTTPS_PROXY`;

const NO_ROUTE: Hint = () => "there is no route to the host. Check the network and HTTPS_PROXY";

const NO_TLS: Hint = (name) =>
  `the server does not use TLS on this port. Begin ${name("flagsUrl")} with http://, or change its port`;

const CLIENT_CERTIFICATE: Hint = (name) =>
  `the upstream requires a client certificate from a CA that it trusts. Set ${name("upstreamCertFile")} and ${name("upstreamKeyFile")}`;

/** What to do about a failed connection, by the code of its innermost error. */
const HINTS: Readonly<Record<string, Hint>> = {
  ECONNREFUSED: (name) =>
    `nothing is listening there. Check the host and port in ${name("flagsUrl")}, and whether the upstream is running`,
  ECONNRESET: CLOSED,
  ENOTFOUND: (name) => `the host name does not exist. Check the host in ${name("flagsUrl")}`,
  EAI_AGAIN: (name) =>
    `the host name cannot be resolved now. Check the host in ${name("flagsUrl")} and the DNS server`,
  ETIMEDOUT: NO_RESPONSE,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  CERT_HAS_EXPIRED: () => "the certificate of the upstream has expired. Renew it",
  ERR_TLS_CERT_ALTNAME_INVALID: (name) =>
    `the certificate of the upstream is for other host names. Use one of them in ${name("flagsUrl")}`,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: CLIENT_CERTIFICATE,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: CLIENT_CERTIFICATE,
  EPROTO: (name) => `TLS failed. Check whether ${name("flagsUrl")} must begin with http://`,
};

const UNKNOWN_ISSUER: Hint = (name) =>
  `the certificate of the upstream is not signed by a CA that this process trusts. Set ${name("upstreamCaFile")} to a file with the certificate of its CA`;

/** Codes of errors about a certificate of a CA that this process does not trust. */
export const UNKNOWN_ISSUER_CODES: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Describes why the flags cannot be fetched, and what to do about it.
 *
 * @param origins names the settings as the operator has set them, for example by the names of Edge
 */
export async function describeUpstreamFailure(
  error: unknown,
  options: FlagsClientOptions,
  origins: LoadedConfig["origins"],
): Promise<string> {
  if (!(error instanceof UpstreamError)) throw error;
  const name = (setting: HintSetting): string => origins.get(setting) ?? NAMES[setting];
  const hint = findHint(codesOf(error));
  if (hint !== undefined) {
    const isTls = /^https:/i.test(options.url);
    const reason = hint === CLOSED && isTls ? CLOSED_WITH_TLS : hint;
    return `Cannot reach the upstream ${options.url}: ${reason(name)}`;
  }
  if (error.code === "TIMEOUT")
    return `${error.message}. Check the host and port in ${name("flagsUrl")}, and firewalls`;
  if (error.status === 401 || error.status === 403)
    return `${error.message}. Set it with ${name("flagsApiToken")}`;
  const otherUrl = await findWorkingUrl(error, options);
  if (otherUrl !== undefined)
    return `${error.message}. Set ${name("flagsUrl")} to ${otherUrl}, where flags are found`;
  return error.code === "DOCUMENT"
    ? `${error.message}. Check whether ${name("flagsUrl")} is the address of the upstream, and whether a gateway responds in its place`
    : error.message;
}

function findHint(codes: readonly string[]): Hint | undefined {
  if (codes.some((code) => UNKNOWN_ISSUER_CODES.has(code))) return UNKNOWN_ISSUER;
  return codes.map((code) => HINTS[code]).find((hint) => hint !== undefined);
}

/** Returns the codes of an error and its causes, from the innermost one; empty for those without a code. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [...[...inner, error.cause].flatMap(codesOf), codeOf(error)];
}

/** If the address seems to be the wrong one, returns the probable one if it has flags. */
async function findWorkingUrl(
  { status, code }: UpstreamError,
  options: FlagsClientOptions,
): Promise<string | undefined> {
  if (status !== 404 && code !== "DOCUMENT") return undefined;
  const base = options.url.replace(/\/+$/, "").replace(/\/(?:api(?:\/.*)?|client(?:\/.*)?)$/, "");
  const url = `${base}/api`;
  if (url === options.url.replace(/\/+$/, "")) return undefined;
  const hasFlags = await inspectUpstream({ ...options, url }).then(
    () => true,
    () => false,
  );
  return hasFlags ? url : undefined;
}
