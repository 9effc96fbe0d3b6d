import type { Alias } from "./alias.ts";

const rename = (name: string): Alias => ({
  name,
  to: [name.replace(/^UNLEASH_/, "FLAGS_")],
  group: "Variables",
});

/**
 * The variables of the old proxy that have another name here. All others, such as `PROXY_PORT`, have the
 * same name.
 */
export const OLD_PROXY_ALIASES: readonly Alias[] = [
  "UNLEASH_URL",
  "UNLEASH_API_TOKEN",
  "UNLEASH_PROXY_CLIENT_KEYS",
  "UNLEASH_PROXY_SECRETS",
  "UNLEASH_APP_NAME",
  "UNLEASH_INSTANCE_ID",
  "UNLEASH_FETCH_INTERVAL",
  "UNLEASH_METRICS_INTERVAL",
  "UNLEASH_METRICS_JITTER",
  "UNLEASH_ENVIRONMENT",
  "UNLEASH_PROJECT_NAME",
  "UNLEASH_NAME_PREFIX",
  "UNLEASH_TAGS",
  "UNLEASH_CUSTOM_STRATEGIES_FILE",
].map(rename);

/** The options of the old proxy that have another name in code here. */
export const OLD_PROXY_OPTIONS = {
  unleashUrl: "flagsUrl",
  unleashApiToken: "flagsApiToken",
  unleashAppName: "flagsAppName",
  unleashInstanceId: "flagsInstanceId",
} as const;
