import { type FlagsClientOptions, UpstreamError } from "flags-sdk";
import { FORWARD_PROXY_CODE, UNKNOWN_ISSUER_CODES } from "flags-sdk/neutral";
import { codeOf } from "flags-server-kit/neutral";
import { inspectUpstream } from "../upstream/inspect-upstream.ts";
import type { ProxyConfig } from "../config/config.ts";
import { SETTINGS, type SettingName } from "../config/settings.ts";

// In hints, the name of a setting in braces stands for the name by which the operator has set it.

const CLOSED =
  "the connection was closed without a response. Check whether {flagsUrl} must begin with https://";

/** An upstream may close the connection before its alert about a missing client certificate is read. */
const CLOSED_WITH_TLS =
  "the connection was closed without a response. Check whether the upstream requires a client certificate ({upstreamCertFile})";

const NO_RESPONSE =
  "there is no response. Check the host and port in {flagsUrl}, firewalls and HTTPS_PROXY";

const NO_ROUTE = "there is no route to the host. Check the network and HTTPS_PROXY";

const NO_TLS =
  "the server does not use TLS on this port. Begin {flagsUrl} with http://, or change its port";

const CLIENT_CERTIFICATE =
  "the upstream requires a client certificate from a CA that it trusts. Set {upstreamCertFile} and {upstreamKeyFile}";

/** What to do about a failed connection, by the code of its innermost error. */
const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    "nothing is listening there. Check the host and port in {flagsUrl}, and whether the upstream is running",
  ECONNRESET: CLOSED,
  HPE_INVALID_CONSTANT: "the server does not speak HTTP on this port. Check the port in {flagsUrl}",
  ENOTFOUND: "the host name does not exist. Check the host in {flagsUrl}",
  EAI_AGAIN:
    "the host name cannot be resolved now. Check the host in {flagsUrl} and the DNS server",
  ETIMEDOUT: NO_RESPONSE,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  CERT_HAS_EXPIRED: "the certificate of the upstream has expired. Renew it",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the certificate of the upstream is for other host names. Use one of them in {flagsUrl}",
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: CLIENT_CERTIFICATE,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: CLIENT_CERTIFICATE,
  EPROTO: "TLS failed. Check whether {flagsUrl} must begin with http://",
};

const UNKNOWN_ISSUER =
  "the certificate of the upstream is not signed by a CA that this process trusts. Set {upstreamCaFile} to a file with the certificate of its CA";

/** @param origins names the settings as the operator has set them */
export async function describeUpstreamFailure(
  error: unknown,
  options: FlagsClientOptions,
  origins: ProxyConfig["origins"],
): Promise<string> {
  if (!(error instanceof UpstreamError)) throw error;
  const problem = await findProblem(error, options);
  return problem.replaceAll(PLACEHOLDER, (_, key: SettingName) => {
    return origins.get(key) ?? SETTINGS[key].variables[0] ?? key;
  });
}

const PLACEHOLDER = /\{(flagsUrl|flagsApiToken|upstream(?:Ca|Cert|Key)File)\}/g;

async function findProblem(error: UpstreamError, options: FlagsClientOptions): Promise<string> {
  const { message, status, code } = error;
  const codes = codesOf(error);
  const hint = findHint(codes);
  if (hint !== undefined) {
    const reason = hint === CLOSED && /^https:/i.test(options.url) ? CLOSED_WITH_TLS : hint;
    return `Cannot reach the upstream ${options.url}: ${reason}`;
  }
  if (status === 407 || codes.includes(FORWARD_PROXY_CODE)) {
    return `${message}. Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, or add the host in {flagsUrl} to NO_PROXY`;
  }
  if (code === "TIMEOUT") return `${message}. Check the host and port in {flagsUrl}, and firewalls`;
  if (status === 401 || status === 403) return `${message}. Set it with {flagsApiToken}`;
  const otherUrl = await findWorkingUrl(error, options);
  if (otherUrl !== undefined)
    return `${message}. Set {flagsUrl} to ${otherUrl}, where flags are found`;
  return code === "DOCUMENT"
    ? `${message}. Check whether {flagsUrl} is the address of the upstream, and whether a gateway responds in its place`
    : message;
}

function findHint(codes: readonly string[]): string | undefined {
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
  const current = options.url.replace(/\/+$/, "");
  const url = `${current.replace(/\/(?:api(?:\/.*)?|client(?:\/.*)?)$/, "")}/api`;
  if (url === current) return undefined;
  return inspectUpstream({ ...options, url }).then(
    () => url,
    () => undefined,
  );
}
