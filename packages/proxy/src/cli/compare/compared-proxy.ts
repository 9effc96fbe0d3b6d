import { isRecord } from "flags-server-kit";

/** The proxies cannot be compared. The message says why. */
export class ComparisonError extends Error {
  override readonly name = "ComparisonError";
}

/** A proxy to compare. */
export interface ComparedProxy {
  /** Address for requests, for example one that ends with `/proxy` or `/proxy/all`. */
  readonly url: string;
  readonly key: string;
  readonly keyHeaderName: string;
}

/** The result of each flag in a response, as JSON that is equal if the results are. */
export type Results = ReadonlyMap<string, string>;

const TIMEOUT_MS = 10_000;

const PATHS = ["/proxy", "/api/frontend", "/api/proxy"];

/** Returns the address at which a proxy returns flags. */
export function toFlagsUrl(option: string, address: string, all: boolean): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const path = url?.pathname.replace(/\/+$/, "") ?? "";
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isHttp || !PATHS.some((end) => path.endsWith(end))) {
    throw new ComparisonError(
      `${option} must be a URL that starts with http:// or https:// and ends with one of ${PATHS.join(", ")}`,
    );
  }
  return `${url.origin}${path}${all ? "/all" : ""}`;
}

/** Requests the flags for a context. Every version of the API accepts this request. */
export async function fetchResults(
  { url, key, keyHeaderName }: ComparedProxy,
  context: object,
): Promise<Results> {
  const response = await send(url, {
    method: "POST",
    headers: { [keyHeaderName]: key, "content-type": "application/json" },
    body: JSON.stringify({ context }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: "manual",
  });
  const { status, text } = response;
  if (status !== 200) {
    const detail = text.trim().slice(0, 200);
    const subject = status === 400 ? ` for the context ${JSON.stringify(context)}` : "";
    throw new ComparisonError(
      `${url} responded with ${status}${subject}${detail === "" ? "" : `: ${detail}`}`,
    );
  }
  return parseResults(url, text);
}

async function send(url: string, request: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new ComparisonError(`Cannot reach ${url}: ${describe(error)}`, { cause: error });
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no complete response within ${TIMEOUT_MS / 1000} s`;
  const { cause } = error;
  if (cause instanceof AggregateError) return describe(cause.errors[0]);
  const { code = "", message } = (cause instanceof Error ? cause : error) as NodeJS.ErrnoException;
  const reason = message === "" ? error.message : message;
  const hint = CERTIFICATE_HINTS[code];
  return hint === undefined ? reason : `${reason}. ${hint}`;
}

const UNKNOWN_AUTHORITY =
  "Name a file with the CA of the certificate in the environment variable NODE_EXTRA_CA_CERTS";

const CERTIFICATE_HINTS: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "The certificate is for another name: give a URL with that name, this proxy's in --url",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
};

function parseResults(url: string, text: string): Results {
  const toggles = readToggles(text);
  if (toggles === undefined) throw new ComparisonError(`${url} sent no list of flags`);
  return new Map(
    toggles.map((toggle) => [String(toggle["name"]), JSON.stringify(normalize(toggle))]),
  );
}

function readToggles(text: string): readonly Record<string, unknown>[] | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const toggles = isRecord(body) ? body["toggles"] : undefined;
    return Array.isArray(toggles) && toggles.every(isRecord) ? toggles : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reduces a flag to what all versions of the API have in common. Some omit a payload that others send as null, and
 * some omit `impressionData` if it is false.
 */
function normalize({ enabled, variant, impressionData }: Record<string, unknown>): object {
  const { name, enabled: isVariantEnabled, payload } = isRecord(variant) ? variant : {};
  const { type, value } = isRecord(payload) ? payload : {};
  return {
    enabled: enabled === true,
    variant: {
      name,
      enabled: isVariantEnabled === true,
      ...(isRecord(payload) && { payload: { type, value } }),
    },
    impressionData: impressionData === true,
  };
}
