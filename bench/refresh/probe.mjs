// Loaded into a server before its own code: tells how long its event loop was blocked, at most, since
// it was asked last.

import { monitorEventLoopDelay } from "node:perf_hooks";

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

process.on("message", () => {
  const longestBlockMs = delays.max / 1e6;
  delays.reset();
  process.send({ longestBlockMs });
});
process.channel.unref();
