#!/usr/bin/env node
// Not compiled, so that `npm install` can link it, executable, before the build.
import { loadBundle } from "./load-bundle.js";

await loadBundle().runCommand();
