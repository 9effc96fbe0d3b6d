import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { rootDirectory } from "../workspace.mjs";

export const HOST = "127.0.0.1";
/** The environment of the demo flags, which the proxy serves. */
export const ENVIRONMENT = "development";
export const PROJECT = "default";

/** The client key of the documentation. Client keys are public. */
export const CLIENT_KEY = "demo-web-key";

/** Tokens in the documentation of earlier versions. The quickstart revokes them. */
export const PUBLISHED_TOKENS = [
  "*:*.demo-admin-token-for-this-machine-only",
  "*:development.demo-backend-token-local",
];

/** The file with the tokens of this installation. */
export const KEYS_FILE = "quickstart-keys.json";

/** How a container reaches this machine. */
const CONTAINER_HOST = "host.docker.internal";

const REFRESH_INTERVAL_MS = 1000;
const METRICS_INTERVAL_MS = 5000;

/** Reads the variables of the quickstart. All others are passed to the services unchanged. */
export function readSettings(environment) {
  const ports = {
    ADMIN_PORT: environment.ADMIN_PORT || "4242",
    PORT: environment.PORT || "3000",
  };
  return {
    ports,
    directory: environment.DATA_DIR ? resolve(environment.DATA_DIR) : defaultDirectory(),
    usesPostgres: Boolean(environment.DATABASE_URL),
    adminUrl: `http://${HOST}:${ports.ADMIN_PORT}`,
    pageUrl: `http://${HOST}:${ports.PORT}/`,
    proxyUrl: `http://${HOST}:${ports.PORT}/proxy`,
    clientKeys: environment.FLAGS_PROXY_CLIENT_KEYS,
    hasProxyDocs: environment.ENABLE_OAS === "true",
  };
}

/** NOTE: not `.flags`, which `flags-admin` uses by default. The quickstart of earlier versions used it. */
function defaultDirectory() {
  const earlier = join(rootDirectory, ".flags");
  return existsSync(join(earlier, KEYS_FILE)) ? earlier : join(earlier, "quickstart");
}

/**
 * Returns a message if HOST is another address. Some shells set HOST to the name of
 * the machine, which nobody chose, so names are ignored.
 */
export function findHostProblem({ HOST: host = "" }) {
  if (isIP(host) === 0 || host === HOST) return undefined;
  return (
    `HOST=${host}: the quickstart listens on ${HOST} only, because its client key is public. ` +
    "Remove HOST, or start flags-admin and flags-proxy with keys of your own."
  );
}

/** The environment variables of the flag-management service. */
export function adminEnvironment(settings, keys, environment) {
  const { ports, directory, usesPostgres, proxyUrl } = settings;
  const { DATA_DIR: _, ...rest } = environment;
  return {
    ...rest,
    // A PostgreSQL server replaces the embedded database.
    ...(usesPostgres ? {} : { DATA_DIR: directory }),
    HOST,
    ALLOWED_HOSTS: allowedHosts(environment),
    SHUTDOWN_DELAY: "0",
    PORT: ports.ADMIN_PORT,
    // The console shows code that can be run as it is.
    FRONTEND_URL: proxyUrl,
    FRONTEND_KEY: clientKeyOf(settings),
    INIT_ADMIN_API_TOKENS: addToList(environment.INIT_ADMIN_API_TOKENS, keys.adminToken),
    INIT_CLIENT_API_TOKENS: addToList(environment.INIT_CLIENT_API_TOKENS, keys.proxyToken),
    LOG_LEVEL: environment.LOG_LEVEL || "info",
  };
}

/** The environment variables of the proxy. Users cannot change what the printed commands rely on. */
export function proxyEnvironment({ ports, directory, adminUrl, clientKeys }, keys, environment) {
  return {
    ...environment,
    DATA_DIR: directory,
    ADMIN_PORT: ports.ADMIN_PORT,
    HOST,
    ALLOWED_HOSTS: allowedHosts(environment),
    SHUTDOWN_DELAY: "0",
    PORT: ports.PORT,
    PROXY_BASE_PATH: "",
    CLIENT_KEY_HEADER_NAME: "authorization",
    CORS_ORIGIN: "*",
    FLAGS_URL: `${adminUrl}/api`,
    FLAGS_API_TOKEN: keys.proxyToken,
    FLAGS_PROXY_CLIENT_KEYS: clientKeys || acceptedKeys(keys),
    // Server SDKs can use the proxy too.
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: addToList(
      environment.EXP_SERVER_SIDE_SDK_CONFIG_TOKENS,
      keys.proxyToken,
    ),
    // Changes are visible immediately.
    FLAGS_SYNCHRONIZATION: environment.FLAGS_SYNCHRONIZATION || "streaming",
    FLAGS_FETCH_INTERVAL: environment.FLAGS_FETCH_INTERVAL || String(REFRESH_INTERVAL_MS),
    // The console shows within seconds that a flag has been used.
    FLAGS_METRICS_INTERVAL: environment.FLAGS_METRICS_INTERVAL || String(METRICS_INTERVAL_MS),
    LOG_LEVEL: environment.LOG_LEVEL || "info",
    NO_PROXY: HOST,
    no_proxy: HOST,
  };
}

/** The names of this machine that the quickstart accepts, in addition to those of every service. */
export function allowedHosts(environment) {
  return addToList(environment.ALLOWED_HOSTS, CONTAINER_HOST);
}

/** The client key of the page and the printed commands. */
export function clientKeyOf({ clientKeys }) {
  return clientKeys ? clientKeys.split(",")[0].trim() : CLIENT_KEY;
}

/** The documentation uses the demo key, and programs may use the key of an earlier version. */
function acceptedKeys({ clientKey }) {
  return [...new Set([CLIENT_KEY, clientKey])].join(",");
}

function addToList(list, entry) {
  return list ? `${list},${entry}` : entry;
}
