#!/usr/bin/env node
// Not compiled, so that installing links it, executable, before anything is built.
await import("../dist/bundle/flags-proxy.js");
