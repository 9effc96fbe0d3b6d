// Uses the packages from CommonJS. scripts/packages/check-consumers.mjs compiles and runs it.

import assert = require("node:assert/strict");
import engine = require("flags-engine");
import proxy = require("flags-proxy");
import sdk = require("flags-sdk");
import streams = require("flags-stream-client");

const options: sdk.FlagsClientOptions = {
  url: "http://127.0.0.1:9/api",
  token: "default:development.consumer",
  appName: "consumer",
};
const client: sdk.FlagsClient = sdk.createFlagsClient(options);
assert.equal(client.isEnabled("new-checkout", { userId: "7" }, true), true);

for (const value of [engine.compileSnapshot, proxy.createApp, streams.PushFeed]) {
  assert.equal(typeof value, "function");
}
console.log("CommonJS: every package works");
