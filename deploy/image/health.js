// The image's HEALTHCHECK: exits with 0 if the command that the container runs is healthy.

import { readFileSync } from "node:fs";

/** With `docker run --init`, process 1 is another program, but the command is among its arguments. */
const runsAdmin = readFileSync("/proc/1/cmdline", "utf8").includes("flags-admin");
const name = runsAdmin ? "admin" : "proxy";

process.argv.splice(2, Infinity, "health");
await import(`/app/packages/${name}/bin/flags-${name}.js`);
