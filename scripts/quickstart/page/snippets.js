// Examples for copying, with the demo keys and the context of the form.

import { toContext, toQuery } from "./context.js";
import { copyOnClick } from "./copy.js";

const byId = (id) => document.getElementById(id);

const LANGUAGES = [
  { name: "curl", hint: "Run it in a terminal.", write: writeCurl },
  { name: "JavaScript", hint: "npm install unleash-proxy-client", write: writeJavaScript },
  { name: "React", hint: "npm install @unleash/proxy-client-react", write: writeReact },
  { name: "Node", hint: "npm install unleash-client", write: writeNode },
];

/** Shows the choice of SDKs. Returns a function that shows the snippet for a context. */
export function createSnippets(settings) {
  let [language] = LANGUAGES;
  let current;
  const buttons = LANGUAGES.map((one) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = one.name;
    button.addEventListener("click", () => {
      language = one;
      show(current);
    });
    return button;
  });
  byId("languages").append(...buttons);
  copyOnClick(byId("copy"), () => byId("request").textContent);

  function show(context) {
    current = context;
    byId("request").textContent = language.write(settings, context);
    byId("snippet-hint").textContent = language.hint;
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.textContent === language.name));
    }
  }
  return show;
}

function writeCurl({ clientKey, proxyUrl }, context) {
  const query = toQuery(context);
  const url = query === "" ? proxyUrl : `${proxyUrl}?${query}`;
  return `curl -g -H 'Authorization: ${clientKey}' '${url.replaceAll("'", "%27")}'`;
}

function writeJavaScript({ clientKey, proxyUrl }, context) {
  return `import { UnleashClient } from "unleash-proxy-client";

const client = new UnleashClient({
  url: "${proxyUrl}",
  clientKey: ${toCode(clientKey)},
  appName: "web",
  context: ${toCode(toContext(context), "  ")},
});
await client.start();
console.log(client.isEnabled("new-header"), client.getVariant("button-colour").name);`;
}

function writeReact({ clientKey, proxyUrl }, context) {
  return `import { FlagProvider, useFlag, useVariant } from "@unleash/proxy-client-react";

const config = {
  url: "${proxyUrl}",
  clientKey: ${toCode(clientKey)},
  appName: "web",
  context: ${toCode(toContext(context), "  ")},
};

export function App() {
  return (
    <FlagProvider config={config}>
      <BuyButton />
    </FlagProvider>
  );
}

function BuyButton() {
  const isNew = useFlag("new-header");
  const { name } = useVariant("button-colour");
  return <button className={name}>{isNew ? "Buy now" : "Buy"}</button>;
}`;
}

function writeNode({ adminUrl }, context) {
  return `import { startUnleash } from "unleash-client";

const client = await startUnleash({
  url: "${adminUrl}/api",
  appName: "server",
  customHeaders: { Authorization: "the-backend-token-printed-by-npm-start" },
});
const context = ${toCode(toContext(context))};
console.log(client.isEnabled("new-header", context), client.getVariant("button-colour", context).name);
client.destroy();`;
}

function toCode(value, indent = "") {
  const json = JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${indent}`);
  // Names that need no quotation marks are usually written without.
  return json.replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)": /gm, "$1$2: ");
}
