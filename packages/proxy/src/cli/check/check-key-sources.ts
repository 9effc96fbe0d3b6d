import { UpstreamError } from "flags-sdk";
import { describeUrl, type HttpClient } from "flags-sdk/neutral";
import { toErrorMessage } from "flags-server-kit/neutral";
import { TokenValidator } from "../../upstream/token-validator.ts";
import type { AccessEntry } from "../../access-file/read-access-file.ts";
import type { ProxyConfig } from "../../config/config.ts";
import { toUpstreamClientOptions } from "../../config/upstream-client-options.ts";
import { SILENT } from "../silent-logger.ts";

/** Returns why `jwksUrl` addresses cannot be read: the proxy reads them only with the first signed context. */
export async function checkKeySets(
  entries: readonly AccessEntry[],
  { httpProxy = "", httpsProxy = "", noProxy = "" }: ProxyConfig,
): Promise<readonly string[]> {
  const addresses = new Set(entries.flatMap(({ signing }) => signing?.jwksUrl ?? []));
  if (addresses.size === 0) return [];
  const { createKeysClient } = await import("../../access-file/signing/remote-keys.ts");
  const http = createKeysClient({ httpProxy, httpsProxy, noProxy });
  try {
    const problems = await Promise.all(
      [...addresses].map((address) => findKeySetProblem(http, new URL(address))),
    );
    return problems.filter((problem) => problem !== undefined);
  } finally {
    await http.close();
  }
}

async function findKeySetProblem(http: HttpClient, url: URL): Promise<string | undefined> {
  const { readKeySet } = await import("../../access-file/signing/remote-keys.ts");
  try {
    await readKeySet(http, url, new AbortController().signal);
    return undefined;
  } catch (error) {
    const reason = toErrorMessage(error);
    return `Cannot read the keys for signed contexts from ${describeUrl(url)}: ${reason}. Contexts that they sign would be rejected with 503`;
  }
}

/** Lets the upstream verify its own tokens. Returns why it cannot verify keys; undefined if it can. */
export async function checkUpstreamKeys(config: ProxyConfig): Promise<string | undefined> {
  const { upstreamTokens, origins } = config;
  const validator = new TokenValidator({
    client: toUpstreamClientOptions(config, upstreamTokens[0] ?? ""),
    subject: "Verifying keys",
    events: SILENT,
  });
  try {
    const valid = await validator.validate(upstreamTokens);
    return valid.size > 0
      ? undefined
      : `The upstream cannot verify keys: its /edge/validate reports the tokens of ${origins.get("flagsApiToken")} as invalid. Check that ${origins.get("flagsUrl")} is the upstream that has issued them`;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return `The upstream cannot verify keys: ${error.message}`;
  } finally {
    await validator.close();
  }
}
