import type { Values } from "./resolve.ts";

/** Every configured text that must never be shown, wherever it was given. */
export function collectSecrets(values: Values): readonly string[] {
  const headers = [values.bootstrapAuthorization, ...Object.values(values.bootstrapHeaders)];
  const secrets = [
    values.flagsApiToken ?? "",
    ...(values.clientKeys ?? []),
    ...(values.proxySecrets ?? []),
    ...values.serverTokens,
    ...headers.flatMap(withoutScheme),
    ...[values.httpProxy, values.httpsProxy].flatMap(readPassword),
  ];
  return secrets.filter((secret) => secret !== "");
}

/** `Bearer abc` holds the secret `abc`, which may turn up by itself. */
function withoutScheme(header: string | undefined): readonly string[] {
  return header === undefined ? [] : [header, header.replace(/^\S+\s+/, "")];
}

function readPassword(address: string | undefined): readonly string[] {
  if (address === undefined) return [];
  const { password } = new URL(address);
  return [password, decodeURIComponent(password)];
}
