import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";

const provider = new OFREPWebProvider({
  baseUrl: "http://127.0.0.1:3000",
  headers: [["Authorization", "Bearer demo-web-key"]],
  pollInterval: 15_000,
});
await OpenFeature.setContext({ targetingKey: "7" });
await OpenFeature.setProviderAndWait(provider);
const client = OpenFeature.getClient();

function render() {
  const isNew = client.getBooleanValue("new-header", false);
  const colour = client.getBooleanDetails("button-colour", false).variant;
  document.querySelector("#app").textContent = `new-header: ${isNew}, button-colour: ${colour}`;
}

render();
client.addHandler(ProviderEvents.ConfigurationChanged, render);
