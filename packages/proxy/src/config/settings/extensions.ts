import { headerValueKind, SettingGroup, tokensKind, urlKind } from "flags-server-kit/settings";
import { enrichersKind, headersKind, strategiesKind } from "../proxy-setting-kinds.ts";

const extensions = new SettingGroup("Extensions");
const experimental = new SettingGroup("Experimental");

export const EXTENSIONS_SETTINGS = {
  customStrategies: extensions.option("customStrategies", "FLAGS_CUSTOM_STRATEGIES_FILE", {
    kind: strategiesKind,
    default: [],
    description:
      "Files that export lists of custom activation strategies, separated by commas; in code, also the strategies themselves.",
  }),
  bootstrapUrl: experimental.option("expBootstrap.url", "EXP_BOOTSTRAP_URL", {
    kind: urlKind,
    description: "URL from which flags are loaded until the upstream responds.",
  }),
  bootstrapAuthorization: experimental.option(
    "expBootstrap.urlHeaders.Authorization",
    "EXP_BOOTSTRAP_AUTHORIZATION",
    {
      kind: headerValueKind,
      secret: true,
      description: "Authorization header sent to the bootstrap URL.",
    },
  ),
  bootstrapHeaders: experimental.option("expBootstrap.urlHeaders", [], {
    kind: headersKind,
    default: {},
    secret: true,
    description: "All headers sent to the bootstrap URL.",
  }),
  serverTokens: experimental.option(
    "expServerSideSdkConfig.tokens",
    "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS",
    {
      kind: tokensKind,
      default: [],
      secret: true,
      description:
        "Tokens that allow server SDKs and other proxies to read definitions from this proxy, separated by commas.",
    },
  ),
  customEnrichers: experimental.option("expCustomEnrichers", "EXP_CUSTOM_ENRICHERS_FILE", {
    kind: enrichersKind,
    default: [],
    description:
      "File that exports a list of context enrichers; in code, a list of enrichers and files.",
  }),
};
