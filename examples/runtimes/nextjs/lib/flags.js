import { createFetchApp } from "flags-proxy/fetch";

/** Returns the app, which all routes share. Next.js loads this module once for each of them. */
export function getFlags() {
  globalThis.flagsApp ??= createFetchApp({
    flagsUrl: process.env.FLAGS_URL,
    flagsApiToken: process.env.FLAGS_API_TOKEN,
    clientKeys: process.env.FLAGS_PROXY_CLIENT_KEYS,
    proxyBasePath: "/flags",
  });
  return globalThis.flagsApp;
}
