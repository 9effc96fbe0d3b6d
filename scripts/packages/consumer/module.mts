// Uses each package from an ES module. scripts/packages/check-consumers.mjs compiles and runs it.

import assert from "node:assert/strict";
import { compileSnapshot, parseDocument, type Snapshot } from "flags-engine";
import { createApp, Strategy, type ProxyOptions } from "flags-proxy";
import { createFetchApp, type FetchAppOptions } from "flags-proxy/fetch";
import { createFlagsClient, type FlagsClientOptions } from "flags-sdk";
import { ConfigError } from "flags-server-kit";
import { createGuardedServer } from "flags-server-kit/http";
import { PushFeed } from "flags-stream-client";

const document = {
  version: 2,
  features: [{ name: "new-checkout", enabled: true, strategies: [{ name: "default" }] }],
};
const snapshot: Snapshot = compileSnapshot(parseDocument(document), {
  now: Date.now,
  random: Math.random,
});
assert.equal(snapshot.flags[0]?.outcomes[snapshot.evaluate(0, { userId: "7" })]?.enabled, true);

const clientOptions: FlagsClientOptions = {
  url: "http://127.0.0.1:9/api",
  token: "default:development.consumer",
  appName: "consumer",
  bootstrap: { data: document.features },
};
const client = createFlagsClient(clientOptions);

class Nobody extends Strategy {
  constructor() {
    super("nobody");
  }
  override isEnabled(): boolean {
    return false;
  }
}
const proxyOptions: ProxyOptions = {
  flagsUrl: clientOptions.url,
  flagsApiToken: "default:development.consumer",
  clientKeys: ["key-of-the-consumer"],
  customStrategies: [new Nobody()],
};
await assert.rejects(createApp({ ...proxyOptions, clientKeys: [] }).ready, ConfigError);
await client.close();

const fetchOptions: FetchAppOptions = {
  flagsUrl: clientOptions.url,
  flagsApiToken: "default:development.consumer",
  clientKeys: ["key-of-the-consumer"],
  customStrategies: [new Nobody()],
};
const app = createFetchApp(fetchOptions);
const live = await app.fetch(new Request("http://127.0.0.1/live"));
assert.equal(live.status, 200);

for (const value of [createGuardedServer, PushFeed]) assert.equal(typeof value, "function");
console.log("ES module: every package works");
