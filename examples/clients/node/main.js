import { startUnleash } from "unleash-client";

// Resolves when the flags have been loaded.
const unleash = await startUnleash({
  url: "http://127.0.0.1:4242/api",
  appName: "shop",
  customHeaders: { Authorization: "the-backend-token-printed-by-npm-start" },
});

const context = { userId: "7" };
const isNew = unleash.isEnabled("new-header", context);
const colour = unleash.getVariant("button-colour", context).name;
console.log(`new-header: ${isNew}, button-colour: ${colour}`);

// When the program ends: sends the last usage report.
await unleash.destroyWithFlush();
