import { once } from "node:events";
import { createServer } from "node:net";
import { HOST } from "./settings.mjs";

const MAX_PORT = 65535;

/** Exits with messages that name the variables if ports cannot be used. */
export async function requireFreePorts(ports) {
  if (Number(ports.ADMIN_PORT) === Number(ports.PORT)) {
    console.error("ADMIN_PORT and PORT must differ.");
    process.exit(1);
  }
  const probes = await Promise.allSettled(
    Object.entries(ports).map(([variable, port]) => probe(port, variable)),
  );
  const problems = probes.flatMap(({ reason }) => reason?.message ?? []);
  if (problems.length > 0) {
    console.error(problems.join("\n"));
    process.exit(1);
  }
  await Promise.all(probes.map(({ value }) => new Promise((resolve) => value.close(resolve))));
}

async function probe(port, variable) {
  const server = createServer();
  try {
    if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > MAX_PORT) {
      throw new Error(`it must be a whole number from 1 to ${MAX_PORT}`);
    }
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
