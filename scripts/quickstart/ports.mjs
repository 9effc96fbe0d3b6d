import { once } from "node:events";
import { createServer } from "node:net";
import { HOST } from "./settings.mjs";

/** Exits with a message that names the variable if a port cannot be used. */
export async function requireFreePorts(ports) {
  const probes = [];
  try {
    // All probes are open at the same time, so that two equal ports are detected too.
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
    if (Number(port) === 0) throw new Error("the printed commands need a fixed port");
    server.listen(Number(port), HOST);
    await once(server, "listening");
    return server;
  } catch (error) {
    const reason = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.message})`;
    throw new Error(`Port ${port} ${reason}: choose another with ${variable}.`, {
      cause: error,
    });
  }
}
