import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OpenFeature } from "@openfeature/server-sdk";

const provider = new OFREPProvider({
  baseUrl: "http://127.0.0.1:3000",
  headers: [["Authorization", "Bearer demo-web-key"]],
});
await OpenFeature.setProviderAndWait(provider);
const client = OpenFeature.getClient();

const context = { targetingKey: "7" };
const isNew = await client.getBooleanValue("new-header", false, context);
const colour = (await client.getBooleanDetails("button-colour", false, context)).variant;
console.log(`new-header: ${isNew}, button-colour: ${colour}`);
