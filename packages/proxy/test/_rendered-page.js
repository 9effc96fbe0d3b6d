// The script of a page that a server has rendered, in which an official client starts with the flags of the page. The tests
// read `window.texts`: all texts that the page has shown since the script runs.

import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { PageProvider } from "flags-sdk/openfeature-web";
import { hydrateRoot } from "react-dom/client";
import { UnleashClient } from "unleash-proxy-client";
import { createFlagList, describeFlags } from "./_flag-list.js";

const root = document.querySelector("#root");
const { client, url, clientKey, names, bootstrap, ofrep } = window.PAGE;
const config = {
  url: `${url}/proxy`,
  clientKey,
  appName: "page",
  bootstrap: bootstrap?.toggles,
  context: bootstrap?.context,
  experimental: { togglesStorageTTL: 30 },
};

window.texts = [root.textContent];
window.recordText = (text) => window.texts.push(text);

function show(isOn, title) {
  root.textContent = describeFlags(names, isOn, title);
  window.recordText(root.textContent);
}

async function startUnleash() {
  const unleash = new UnleashClient(config);
  const update = () => {
    const { payload } = unleash.getVariant("title");
    show((name) => unleash.isEnabled(name), payload?.value ?? "none");
  };
  update();
  for (const event of ["initialized", "ready", "update"]) unleash.on(event, update);
  await unleash.start();
}

async function startReact() {
  const onRecoverableError = (error) => reportError(error);
  hydrateRoot(root, createFlagList({ config, names }), { onRecoverableError });
}

async function startOpenFeature() {
  await OpenFeature.setContext(ofrep.context);
  const headers = [["Authorization", `Bearer ${clientKey}`]];
  OpenFeature.setProvider(new PageProvider({ ofrep, baseUrl: url, headers }));
  const features = OpenFeature.getClient();
  const update = () =>
    show(
      (name) => features.getBooleanValue(name, false),
      features.getBooleanDetails("title", false).flagMetadata.payload ?? "none",
    );
  update();
  const { Ready, ContextChanged, ConfigurationChanged } = ProviderEvents;
  for (const event of [Ready, ContextChanged, ConfigurationChanged]) {
    features.addHandler(event, update);
  }
  window.setUser = (targetingKey) => OpenFeature.setContext({ ...ofrep.context, targetingKey });
}

const start = { unleash: startUnleash, react: startReact, openfeature: startOpenFeature }[client];
await start();
window.isStarted = true;
