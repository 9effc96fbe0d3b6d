import { EXIT_USAGE, SubcommandError, toHttpUrl } from "flags-server-kit/command-line";
import { isRecord, tryParseJson } from "flags-server-kit/neutral";
import { postJson } from "../../cli/proxy-request.ts";

// NOTE: a failure is not exit code 1, which means that there are differences.

export interface ComparedProxy {
  /** Address for requests, for example one that ends with `/proxy` or `/proxy/all`. */
  readonly url: string;
  readonly key: string;
  readonly keyOption: string;
  readonly keyHeaderName: string;
}

/** The result of each flag in a response, as JSON that is equal if the results are. */
export type Results = ReadonlyMap<string, string>;

const PATHS = ["/proxy", "/api/frontend", "/api/proxy"];

/** Returns the address at which a proxy returns flags. */
export function toFlagsUrl(option: string, address: string, all: boolean): string {
  const url = toHttpUrl(address);
  const path = url?.pathname.replace(/\/+$/, "") ?? "";
  if (url === undefined || !PATHS.some((end) => path.endsWith(end))) {
    throw new SubcommandError(
      `${option} must be a URL that starts with http:// or https:// and ends with one of ${PATHS.join(", ")}. For all flags, add --all`,
    );
  }
  return `${url.origin}${path}${all ? "/all" : ""}`;
}

/** Requests the flags for a context. Every version of the API accepts this request. */
export async function fetchResults(
  { url, key, keyOption, keyHeaderName }: ComparedProxy,
  context: object,
): Promise<Results> {
  const headers = { [keyHeaderName]: key };
  const request = { headers, body: { context }, failureCode: EXIT_USAGE };
  const { status, text } = await postJson(url, request);
  if (status !== 200) {
    const detail = text.trim().slice(0, 200);
    // NOTE: Edge responds with 403 and nothing else to a key that it does not know. A 403 with a reason is not about the key.
    const isAboutKey = status === 401 || (status === 403 && detail === "");
    const hint = isAboutKey ? `. Set its key with ${keyOption}` : "";
    const subject = status === 400 ? ` for the context ${JSON.stringify(context)}` : "";
    throw new SubcommandError(
      `${url} responded with ${status}${subject}${detail === "" ? "" : `: ${detail}`}${hint}`,
    );
  }
  const body = tryParseJson(text);
  const toggles = isRecord(body) ? body["toggles"] : undefined;
  if (!Array.isArray(toggles) || !toggles.every(isRecord)) {
    throw new SubcommandError(`${url} sent no list of flags`);
  }
  return new Map(
    toggles.map((toggle) => [String(toggle["name"]), JSON.stringify(normalize(toggle))]),
  );
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
