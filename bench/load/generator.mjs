// The load generator: a process of its own that applies a load whenever its parent asks for one.

import { on } from "node:events";
import { applyLoad } from "./apply-load.mjs";

process.on("disconnect", () => process.exit());
for await (const [job] of on(process, "message")) process.send(await applyLoad(job));
