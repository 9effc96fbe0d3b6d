/**
 * The keys that the documentation uses. They are public, so both services of the quickstart listen on
 * 127.0.0.1 only and reject requests for other host names.
 */
export const DEMO_KEYS = {
  adminToken: "*:*.demo-admin-token-for-this-machine-only",
  proxyToken: "*:development.demo-backend-token-local",
  clientKey: "demo-web-key",
};

/** The file with the random keys of an earlier version, or of a PostgreSQL database. */
export const KEYS_FILE = "quickstart-keys.json";
