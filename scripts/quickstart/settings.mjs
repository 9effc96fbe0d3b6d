import { join, resolve } from "node:path";
import { rootDirectory } from "../workspace.mjs";

export const HOST = "127.0.0.1";
/** The environment of the demo flags, which the proxy serves. */
export const ENVIRONMENT = "development";
export const PROJECT = "default";

const REFRESH_INTERVAL_MS = 1000;

/** Reads the variables of the quickstart. All others are passed to the services unchanged. */
export function readSettings(environment) {
  const ports = {
    ADMIN_PORT: environment.ADMIN_PORT || "4242",
    PORT: environment.PORT || "3000",
  };
  return {
    ports,
    directory: resolve(environment.DATA_DIR || join(rootDirectory, ".flags")),
    adminUrl: `http://${HOST}:${ports.ADMIN_PORT}`,
    pageUrl: `http://${HOST}:${ports.PORT}/`,
    proxyUrl: `http://${HOST}:${ports.PORT}/proxy`,
    clientKeys: environment.FLAGS_PROXY_CLIENT_KEYS,
  };
}

/** The environment variables of the flag-management service. */
export function adminEnvironment({ ports, directory }, keys, environment) {
  const { DATA_DIR: _, ...rest } = environment;
  return {
    ...rest,
    // A PostgreSQL server replaces the embedded database.
    ...(environment.DATABASE_URL ? {} : { DATA_DIR: directory }),
    HOST,
    PORT: ports.ADMIN_PORT,
    INIT_ADMIN_API_TOKENS: addToList(environment.INIT_ADMIN_API_TOKENS, keys.adminToken),
    INIT_CLIENT_API_TOKENS: addToList(environment.INIT_CLIENT_API_TOKENS, keys.proxyToken),
    LOG_LEVEL: environment.LOG_LEVEL || "info",
  };
}

/** The environment variables of the proxy. Users cannot change what the printed commands rely on. */
export function proxyEnvironment({ ports, adminUrl, clientKeys }, keys, environment) {
  return {
    ...environment,
    HOST,
    PORT: ports.PORT,
    PROXY_BASE_PATH: "",
    CLIENT_KEY_HEADER_NAME: "authorization",
    CORS_ORIGIN: "*",
    FLAGS_URL: `${adminUrl}/api`,
    FLAGS_API_TOKEN: keys.proxyToken,
    FLAGS_PROXY_CLIENT_KEYS: clientKeys || keys.clientKey,
    // Changes are visible immediately.
    FLAGS_SYNCHRONIZATION: environment.FLAGS_SYNCHRONIZATION || "streaming",
    FLAGS_FETCH_INTERVAL: environment.FLAGS_FETCH_INTERVAL || String(REFRESH_INTERVAL_MS),
    LOG_LEVEL: environment.LOG_LEVEL || "info",
    NO_PROXY: HOST,
    no_proxy: HOST,
  };
}

/** The client key of the page and the printed commands. */
export function clientKeyOf({ clientKeys }, keys) {
  return clientKeys ? clientKeys.split(",")[0].trim() : keys.clientKey;
}

function addToList(list, entry) {
  return list ? `${list},${entry}` : entry;
}
