import { describeCause, UNKNOWN_ISSUER_CODES } from "flags-sdk/neutral";
import { ConfigError, resolveSettings } from "flags-server-kit";
import { codeOf } from "flags-server-kit/neutral";
import { readSecretFile, SubcommandError } from "flags-server-kit/command-line";
import { SETTINGS } from "../config/settings.ts";
import type { TranslatedEnvironment } from "../config/translation-report.ts";

/** Reads the settings for requests to a proxy. NOTE: it may run on another machine, with other settings. */
export function readKeySettings(given: TranslatedEnvironment) {
  const { clientKeys, proxySecrets, serverTokens, clientKeysHeaderName } = SETTINGS;
  const { values, problems } = resolveSettings(
    { clientKeys, proxySecrets, serverTokens, clientKeysHeaderName },
    given,
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...values, clientKeys: values.clientKeys ?? values.proxySecrets ?? [] };
}

/** Returns the key in an option, or in the file that the option with `-file` names. Undefined without either. */
export function readKeyOption(
  options: Readonly<Record<string, string | true>>,
  name: "key" | "with-key",
): string | undefined {
  const { [name]: key, [`${name}-file`]: path } = options;
  if (path === undefined) return key === undefined ? undefined : String(key).trim();
  if (key !== undefined) {
    throw new SubcommandError(`--${name} and --${name}-file are both set: remove one of them`);
  }
  const text = readSecretFile(String(path));
  if (typeof text === "string") return text;
  throw new SubcommandError(`--${name}-file: ${text.detail}`);
}

const TIMEOUT_MS = 30_000;

interface JsonRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly failureCode: number;
}

/** Returns the response, regardless of its status. @throws {SubcommandError} if there is none within 30 seconds */
export async function postJson(
  url: string,
  { headers, body, failureCode }: JsonRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "manual",
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const message = `Cannot reach ${url}: ${describe(error)}`;
    throw new SubcommandError(message, failureCode, { cause: error });
  }
}

function describe(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `no complete response within ${TIMEOUT_MS / 1000} s`;
  const reason = describeCause(error);
  const code = error instanceof Error ? codeOf(error.cause) : "";
  if (UNKNOWN_ISSUER_CODES.has(code)) return `${reason}. ${UNKNOWN_ISSUER}`;
  return code === "ERR_TLS_CERT_ALTNAME_INVALID" ? `${reason}. ${OTHER_NAME}` : reason;
}

const UNKNOWN_ISSUER =
  "Set the environment variable NODE_EXTRA_CA_CERTS to the path of a file with the certificate's CA";

const OTHER_NAME =
  "The certificate is for another host name: use a URL with that name, for this proxy in --url";
