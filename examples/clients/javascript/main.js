import { UnleashClient } from "unleash-proxy-client";

const client = new UnleashClient({
  url: "http://127.0.0.1:3000/proxy",
  clientKey: "demo-web-key",
  appName: "web",
  context: { userId: "7" },
});

function render() {
  const isNew = client.isEnabled("new-header");
  const colour = client.getVariant("button-colour").name;
  document.querySelector("#app").textContent = `new-header: ${isNew}, button-colour: ${colour}`;
}

client.on("ready", render);
client.on("update", render);
client.on("error", console.error);
await client.start();
