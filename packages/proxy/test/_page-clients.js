// The script of a page that uses the official browser clients as applications do. Tests call the
// functions that it adds to `window`, and read the text that it shows.

import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { FlagProvider, useFlag, useFlagsStatus, useVariant } from "@unleash/proxy-client-react";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { UnleashClient } from "unleash-proxy-client";

const root = document.querySelector("#root");
const intervals = { refreshInterval: 0.1, metricsInterval: 0.1, metricsIntervalInitial: 0.1 };

function toConfig({ url, clientKey, isPost = false }) {
  const context = { userId: "7", properties: { plan: "gold" } };
  return { url, clientKey, appName: "page", context, usePOSTrequests: isPost, ...intervals };
}

/** Shows the names of the toggles that are on, whenever they change. */
window.startUnleash = async (options) => {
  const client = new UnleashClient(toConfig(options));
  const show = () => {
    root.textContent = client
      .getAllToggles()
      .filter(({ name }) => client.isEnabled(name))
      .map(({ name }) => `${name}=${client.getVariant(name).name}`)
      .join(" ");
  };
  client.on("ready", show);
  client.on("update", show);
  client.on("error", (error) => reportError(new Error(JSON.stringify(error))));
  await client.start();
};

function Flags() {
  const { flagsReady } = useFlagsStatus();
  const isOn = useFlag("for-user-7");
  const variant = useVariant("with-variant").name;
  return createElement("p", null, flagsReady ? `for-user-7: ${isOn}, ${variant}` : "not ready");
}

window.renderReact = (options) => {
  const provider = createElement(FlagProvider, { config: toConfig(options) }, createElement(Flags));
  createRoot(root).render(provider);
};

/** Shows the details of two flags, whenever they change. */
window.startOpenFeature = async ({ url, headers, pollInterval }) => {
  await OpenFeature.setContext({ targetingKey: "7", plan: "gold" });
  const provider = new OFREPWebProvider({ baseUrl: url, headers, pollInterval });
  await OpenFeature.setProviderAndWait(provider);
  const client = OpenFeature.getClient();
  const show = () => {
    root.textContent = ["for-user-7", "with-variant"]
      .map((key) => client.getBooleanDetails(key, false))
      .map(({ flagKey, value, reason, variant }) => `${flagKey}=${value},${reason},${variant}`)
      .join(" ");
  };
  client.addHandler(ProviderEvents.ConfigurationChanged, show);
  client.addHandler(ProviderEvents.Ready, show);
  show();
};

/** The parts of a response that a script can read; undefined if the browser blocks the response. */
window.look = async (url, init) => {
  try {
    const response = await fetch(url, init);
    const header = (name) => response.headers.get(name);
    return { status: response.status, etag: header("etag"), retryAfter: header("retry-after") };
  } catch {
    return undefined;
  }
};
