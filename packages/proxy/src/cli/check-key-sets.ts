import type { ProxyConfig } from "../config/config.ts";
import { readAccessFile } from "../access/read-access-file.ts";

/**
 * Reads the keys at each `jwksUrl` of the access file, which the proxy reads only with the first signed context.
 *
 * @returns a message for each address whose keys cannot be read
 */
export async function checkKeySets({
  accessFile,
  httpProxy = "",
  httpsProxy = "",
  noProxy = "",
}: ProxyConfig): Promise<readonly string[]> {
  if (accessFile === undefined) return [];
  const { entries } = await readAccessFile(accessFile);
  const addresses = new Set(
    entries.flatMap(({ signing }) =>
      signing?.scheme.kind === "jwt" && "jwksUrl" in signing.scheme.keys
        ? [signing.scheme.keys.jwksUrl]
        : [],
    ),
  );
  if (addresses.size === 0) return [];
  const { createKeysClient } = await import("../access/signed-context/context-verifiers.ts");
  const { readKeySet } = await import("../access/signed-context/remote-keys.ts");
  const http = createKeysClient({ httpProxy, httpsProxy, noProxy });
  try {
    const { signal } = new AbortController();
    const results = await Promise.allSettled(
      [...addresses].map((address) => readKeySet(http, new URL(address), signal)),
    );
    return [...addresses].flatMap((address, index) => {
      const result = results[index];
      if (result?.status !== "rejected") return [];
      const { origin, pathname } = new URL(address);
      return [
        `Cannot read the keys for signed contexts from ${origin}${pathname}: ${describe(result.reason)}. Contexts that they sign would be rejected with 503`,
      ];
    });
  } finally {
    await http.close();
  }
}

function describe(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
