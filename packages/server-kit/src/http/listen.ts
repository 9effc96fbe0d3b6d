import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";

/** The address to listen on. */
interface ListenAddress {
  /** 0 chooses any free port. */
  readonly port: number;
  /** Undefined for all addresses. */
  readonly host: string | undefined;
}

/** The address on which a server listens. */
interface OpenPort {
  readonly port: number;
  /** For example `http://localhost:3000`. */
  readonly origin: string;
}

/** Starts to listen. If the port cannot be opened, closes the application and throws. */
export async function listen(
  app: FastifyInstance,
  { port, host }: ListenAddress,
): Promise<OpenPort> {
  try {
    // NOTE: an empty host means IPv6 and IPv4, or IPv4 only if there is no IPv6. Fastify would
    // replace `undefined` with localhost.
    await app.listen({ port, host: host ?? "" });
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = app.server.address() as AddressInfo;
  return { port: address.port, origin: `http://${toUrlHost(host)}:${address.port}` };
}

function toUrlHost(host = "localhost"): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
