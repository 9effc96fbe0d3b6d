import { once } from "node:events";
import { createServer } from "node:net";
import { HOST } from "./settings.mjs";

/** Ends the process with a sentence that names the variable when a port cannot be used. */
export async function requireFreePorts(ports) {
  const probes = [];
  try {
    // All are open at the same time, so that one port chosen twice is noticed as well.
    for (const [variable, port] of Object.entries(ports)) probes.push(await probe(port, variable));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  await Promise.all(probes.map((server) => new Promise((resolve) => server.close(resolve))));
}

async function probe(port, variable) {
  const server = createServer();
  try {
    if (Number(port) === 0) throw new Error("the commands to paste need a port that is known");
    server.listen(Number(port), HOST);
    await once(server, "listening");
    return server;
  } catch (error) {
    const reason = error.code === "EADDRINUSE" ? "is taken" : `cannot be used (${error.message})`;
    throw new Error(`Port ${port} ${reason}: choose another one with ${variable}.`, {
      cause: error,
    });
  }
}
