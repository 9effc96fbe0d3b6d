// The flag-management service of the quickstart: `flags-admin`, which says when it listens.

import { bundle } from "../../packages/admin/bin/load-bundle.js";

// NOTE: also when the process that started this one was killed.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));

await bundle.load().runCommand(() => void process.send("listening"));
