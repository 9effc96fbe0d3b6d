import { REDACTED } from "flags-server-kit";
import type { ProxyConfig } from "./config.ts";

/** The configuration as it may be shown: secrets are hidden, code is named or counted. */
export function redactConfig(config: ProxyConfig): Readonly<Record<string, unknown>> {
  const { logger: _logger, bootstrap, ...rest } = config;
  return {
    ...rest,
    upstreamToken: REDACTED,
    clientKeys: config.clientKeys.map(() => REDACTED),
    serverTokens: config.serverTokens.map(() => REDACTED),
    customStrategies: config.customStrategies.map(({ name }) => name),
    contextEnrichers: config.contextEnrichers.map(({ name }) => name),
    push: { ...config.push, secret: config.push.secret && REDACTED },
    storageProvider: config.storageProvider === undefined ? undefined : "custom",
    bootstrap: bootstrap && {
      url: bootstrap.url.replace(/\?.*$/s, `?${REDACTED}`),
      headers: Object.keys(bootstrap.headers),
    },
    httpProxy: config.httpProxy && hideUser(config.httpProxy),
    httpsProxy: config.httpsProxy && hideUser(config.httpsProxy),
  };
}

function hideUser(address: string): string {
  const url = new URL(address);
  const user = url.username === "" && url.password === "" ? "" : `${REDACTED}@`;
  return `${url.protocol}//${user}${url.host}`;
}
