// How the programs of the HTTP benchmark talk to the process that started them.

/** Tells the parent the port, and from then on what the process has used whenever it asks. */
export function reportToParent(port) {
  process.on("message", () => process.send(usage()));
  process.on("disconnect", () => process.exit());
  process.send({ port });
}

function usage() {
  const { user, system } = process.cpuUsage();
  return {
    cpuMs: (user + system) / 1000,
    memoryMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
  };
}
