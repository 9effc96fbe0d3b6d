#!/usr/bin/env node
// Not compiled, so that installing links it, executable, before anything is built.
import { loadBundle } from "./load-bundle.js";

await loadBundle().runCommand();
