// Uses flags-admin as a library. Compiled with skipLibCheck, since the types of drizzle-orm refer to databases
// that are not installed.

import assert from "node:assert/strict";
import { openStorage, serve, type AdminConfig } from "flags-admin";

export type Config = AdminConfig;
for (const value of [openStorage, serve]) assert.equal(typeof value, "function");
console.log("ES module: flags-admin works");
