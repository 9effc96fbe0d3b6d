// Preloaded into a server with `--import`: replies to each message with the longest block of the event
// loop since the previous message.

import { monitorEventLoopDelay } from "node:perf_hooks";

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

process.on("message", () => {
  const longestBlockMs = delays.max / 1e6;
  delays.reset();
  process.send({ longestBlockMs });
});
process.channel.unref();
