import { isRecord } from "flags-server-kit/neutral";
import type { TranslationReport } from "../../config/translation-report.ts";
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

/** For messages about names that do not exist here. */
export const FORMER_NAMES: TranslationReport["formerNames"] = {
  renamedPrefixes: [
    { from: "UNLEASH_", to: "FLAGS_" },
    { from: "unleash", to: "flags" },
  ],
  replacements: {
    clientMode: { hint: "it is not needed, because every application has its own client" },
    preHook: {
      hint: "mount the application that createApp() returns after your middleware, or wrap it",
    },
  },
};

/** The options of the old proxy that have another name in code here. */
const OLD_PROXY_OPTIONS = {
  unleashUrl: "flagsUrl",
  unleashApiToken: "flagsApiToken",
  unleashAppName: "flagsAppName",
  unleashInstanceId: "flagsInstanceId",
} as const;

/** Options under their names here. */
interface TranslatedOptions {
  readonly options: Readonly<Record<string, unknown>>;
  /** The option that the program has set, by our name for it, for messages. */
  readonly origins: ReadonlyMap<string, string>;
  /** The options of the old proxy in use, and what replaces each. */
  readonly used: ReadonlyMap<string, string>;
}

/** Renames options of the old proxy to our names. Our own names take precedence. */
export function translateOptions(given: object): TranslatedOptions {
  const options: Record<string, unknown> = isRecord(given) ? { ...given } : {};
  const origins = new Map<string, string>();
  const used = new Map<string, string>();
  for (const [oldName, name] of Object.entries(OLD_PROXY_OPTIONS)) {
    const value = options[oldName];
    delete options[oldName];
    if (value === undefined) continue;
    used.set(oldName, name);
    if (options[name] !== undefined) continue;
    options[name] = value;
    origins.set(`Option ${name}`, `Option ${oldName}`);
  }
  return { options, origins, used };
}
