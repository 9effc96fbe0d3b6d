import { SettingGroup } from "flags-server-kit/settings";
import { basePathKind } from "../address-setting-kinds.ts";

const listening = new SettingGroup("Listening");

export const BASE_PATH_SETTING = {
  basePath: listening.option("proxyBasePath", "PROXY_BASE_PATH", {
    kind: basePathKind,
    default: "",
    description: "Path prefix of all endpoints: base/path gives /base/path/proxy.",
  }),
};
