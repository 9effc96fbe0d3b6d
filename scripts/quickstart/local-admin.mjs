// The flag-management service of the quickstart: `flags-admin`, which says when it listens.

import { bundle } from "../../packages/admin/bin/load-bundle.js";

await bundle.load().runCommand(() => void process.send("listening"));
