import { keysKind, SettingGroup } from "flags-server-kit/settings";
import { upstreamKind } from "../address-setting-kinds.ts";

const required = new SettingGroup("Required");

export const REQUIRED_SETTINGS = {
  flagsUrl: required.option("flagsUrl", "FLAGS_URL", {
    kind: upstreamKind,
    required: true,
    description:
      "The URL of the upstream API, for example http://localhost:4242/api, or of files with flags, for example file:./flags.json.",
  }),
  flagsApiToken: required.option("flagsApiToken", "FLAGS_API_TOKEN", {
    kind: keysKind,
    required: true,
    secret: true,
    description:
      "Backend token for the upstream (Unleash also calls it a client token), or several, separated by commas: one for each environment to serve. Not needed for files.",
  }),
  clientKeys: required.option("clientKeys", "FLAGS_PROXY_CLIENT_KEYS", {
    kind: keysKind,
    required: true,
    secret: true,
    description:
      "Keys that clients send, separated by commas; you choose them. Not needed with FLAGS_ACCESS_FILE or FLAGS_UPSTREAM_KEYS.",
  }),
};
