import { type Environment, showText } from "flags-server-kit/command-line";
import { parseTokenScope } from "../../sources/token-scope.ts";
import { type Conversion, InvalidAlias } from "./alias.ts";

const MS_PER_SECOND = 1000;

/** The largest interval here. */
const MAX_SECONDS = 1_000_000;

/** Edge and the command-line options of Edge have intervals in seconds. */
export const fromSeconds: Conversion = {
  description: "in milliseconds instead of seconds",
  convert: (text) => {
    if (/^\d+$/.test(text) && Number(text) <= MAX_SECONDS) return `${Number(text) * MS_PER_SECOND}`;
    throw new InvalidAlias(
      `must be a whole number of seconds, at most ${MAX_SECONDS}: current value is ${showText(text)}`,
    );
  },
};

/** Edge appends `/api` itself. */
export const withApiPath: Conversion = {
  description: "with `/api` at the end",
  convert: (text) => {
    const base = text.replace(/\/+$/, "");
    return base.endsWith("/api") ? base : `${base}/api`;
  },
};

export const toFlagFilesAddress: Conversion = {
  description: "`file:` and the path",
  convert: (text) => `file:${text.replaceAll(/[%?]/g, encodeURIComponent)}`,
};

export function isTrue(text: string): boolean {
  return /^(?:true|1|t|y|yes|on)$/i.test(text);
}

export const isFalse = (text: string): boolean => /^(?:false|0|f|n|no|off)$/i.test(text);

function toBoolean(text: string): boolean {
  if (!isTrue(text) && !isFalse(text)) throw new InvalidAlias("must be true or false");
  return isTrue(text);
}

/** Edge accepts more spellings of booleans. */
export const asBoolean: Conversion = {
  description: "`true` or `false`",
  convert: (text) => String(toBoolean(text)),
};

export const negated: Conversion = {
  description: "with the opposite value",
  convert: (text) => String(!toBoolean(text)),
};

/** Edge has a separate setting for the addresses. */
export const trustedServers: Conversion = {
  description: "the list replaces `true`",
  convert: (text) => text,
};

/** Edge serves TLS on a second port. */
export const tlsPort: Conversion = {
  description: "the value of `TLS_SERVER_PORT`, or 3043",
  convert: (_text, { TLS_SERVER_PORT = "" }) => TLS_SERVER_PORT || "3043",
};

/** Edge has a separate setting for each kind of store. */
export const asFileStore: Conversion = {
  description: "as `file:` and the path",
  convert: (text) => `file:${encodeURI(text).replace(/[?#]/g, encodeURIComponent)}`,
};

/** Edge reads the address of the server from the variables of the AWS SDK. */
export const asBucket: Conversion = {
  description:
    "as `s3://` and the bucket, with `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` and `S3_FORCE_PATH_STYLE`",
  convert: (text, environment) => {
    const endpoint = environment["AWS_ENDPOINT_URL_S3"] || environment["AWS_ENDPOINT_URL"];
    const parameters = new URLSearchParams();
    if (endpoint !== undefined && endpoint !== "") parameters.set("endpoint", endpoint);
    if (isTrue(environment["S3_FORCE_PATH_STYLE"] ?? "")) parameters.set("style", "path");
    return parameters.size === 0 ? `s3://${text}` : `s3://${text}?${parameters.toString()}`;
  },
};

export const fromLogFormat: Conversion = {
  description: "`true` for `json`, `false` for `plain` and `pretty`",
  convert: (text) => {
    if (/^(?:json|plain|pretty)$/i.test(text)) return String(text.toLowerCase() === "json");
    throw new InvalidAlias("must be json, plain or pretty");
  },
};

/** `RUST_LOG` can have one level for each part of the program, such as `warn,unleash_edge=debug`. */
export const fromRustLog: Conversion = {
  description: "one level for everything: `trace` becomes `debug`, and `off` becomes `fatal`",
  convert: (text) => {
    const list = `,${text.toLowerCase().replaceAll(/\s*,\s*/g, ",")}`;
    const level = OWN_LEVEL.exec(list)?.[1] ?? GENERAL_LEVEL.exec(list)?.[1];
    if (level !== undefined) return level.replace("trace", "debug").replace("off", "fatal");
    throw new InvalidAlias("must contain a level: trace, debug, info, warn, error or off");
  },
};

const OWN_LEVEL = /,unleash_edge[^,=]*=(trace|debug|info|warn|error|off)(?![^,])/;
const GENERAL_LEVEL = /,(trace|debug|info|warn|error|off)(?![^,])/;

/**
 * Edge 19 and earlier also accept tokens of the form `secret@environment`, which clients send without
 * the environment.
 */
export const pretrustedTokens: Conversion = {
  description: "`secret@environment` becomes `secret`",
  convert: (text, environment) => {
    const environments = listTokenEnvironments(environment);
    return splitNonBlank(text)
      .map((entry, index) => {
        const key = splitEnvironmentKey(entry);
        if (key === undefined) return entry;
        // NOTE: a key must never give access to the flags of another environment.
        if (environments.length === 1 && environments[0] === key.environment) return key.secret;
        // NOTE: does not show the environment, which may be a part of a key that contains an @.
        throw new InvalidAlias(
          `: entry ${index + 1} has the form secret@environment, ${ALLOWED_KEYS}`,
        );
      })
      .join(",");
  },
};

const ALLOWED_KEYS =
  "which requires that TOKENS or FLAGS_API_TOKEN contains exactly one token, of that environment. If there are several, run `flags-proxy migrate --access-file FILE`, and start with the settings that it prints";

/** Splits a key of the form `secret@environment`; undefined for other keys. */
export function splitEnvironmentKey(
  entry: string,
): { readonly secret: string; readonly environment: string } | undefined {
  const at = entry.lastIndexOf("@");
  if (parseTokenScope(entry) !== undefined || at <= 0) return undefined;
  return { secret: entry.slice(0, at), environment: entry.slice(at + 1) };
}

/** Returns the environment of each upstream token, `""` if it names none. Empty if the tokens are in a file. */
export function listTokenEnvironments(environment: Environment): readonly string[] {
  // NOTE: the file takes precedence over the tokens of Edge, and can contain those of other environments.
  if (environment["FLAGS_API_TOKEN_FILE"]) return [];
  const tokens = new Set(
    splitNonBlank(environment["FLAGS_API_TOKEN"] || environment["TOKENS"] || ""),
  );
  return [...tokens].map((token) => parseTokenScope(token)?.environment ?? "");
}

export function splitNonBlank(text: string): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
