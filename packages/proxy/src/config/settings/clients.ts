import {
  booleanKind,
  createIntegerKind,
  keysKind,
  pathKind,
  SettingGroup,
  textKind,
} from "flags-server-kit/settings";
import { headerNameKind } from "../proxy-setting-kinds.ts";

const clients = new SettingGroup("Clients");

export const CLIENTS_SETTINGS = {
  accessFile: clients.option("accessFile", "FLAGS_ACCESS_FILE", {
    kind: pathKind,
    description:
      "YAML or JSON file with additional keys and their permissions. Changes apply without a restart. With it, FLAGS_PROXY_CLIENT_KEYS is optional.",
  }),
  upstreamKeys: clients.option("upstreamKeys.enabled", "FLAGS_UPSTREAM_KEYS", {
    kind: booleanKind,
    default: false,
    description:
      "Also accepts frontend and backend tokens that the upstream has issued. The upstream verifies each token when it is first used. With it, FLAGS_PROXY_CLIENT_KEYS is optional.",
  }),
  upstreamKeysInterval: clients.option("upstreamKeys.interval", "FLAGS_UPSTREAM_KEYS_INTERVAL", {
    kind: createIntegerKind({ min: 1000, max: 604_800_000, of: "milliseconds" }),
    default: 60_000,
    description:
      "Milliseconds within which a token that was revoked in the upstream is rejected. All tokens in use are verified again within this time.",
  }),
  upstreamKeysMaxAge: clients.option("upstreamKeys.maxAge", "FLAGS_UPSTREAM_KEYS_MAX_AGE", {
    kind: createIntegerKind({ min: 0, max: 604_800_000, of: "milliseconds" }),
    default: 604_800_000,
    defaultText: "604800000 (7 days)",
    description:
      "Milliseconds for which the last verification of a token counts while the upstream fails or is slow, also after a restart with FLAGS_STORE. With 0, tokens are rejected with a 503 when the upstream has not confirmed them within FLAGS_UPSTREAM_KEYS_INTERVAL.",
  }),
  clientKeysHeaderName: clients.option("clientKeysHeaderName", "CLIENT_KEY_HEADER_NAME", {
    kind: headerNameKind,
    default: "authorization",
    description: "Name of the header that contains the client key.",
  }),
  proxySecrets: clients.option("proxySecrets", "FLAGS_PROXY_SECRETS", {
    kind: keysKind,
    secret: true,
    description: "Deprecated name of FLAGS_PROXY_CLIENT_KEYS, which takes precedence.",
  }),
  environment: clients.option("environment", "FLAGS_ENVIRONMENT", {
    kind: textKind,
    description:
      "Value of the field environment in every context. Clients cannot change it. Does not select the environment whose flags are served: the upstream token does.",
  }),
};
