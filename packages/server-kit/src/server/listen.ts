import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";

/** Where to listen. */
export interface Place {
  /** 0 takes any free one. */
  readonly port: number;
  /** All addresses when undefined. */
  readonly host: string | undefined;
}

/** Where somebody listens. */
export interface OpenPort {
  readonly port: number;
  /** Such as `http://localhost:3000`. */
  readonly origin: string;
}

/** Opens the port of an application. One that cannot be opened leaves the application closed. */
export async function listen(app: FastifyInstance, { port, host }: Place): Promise<OpenPort> {
  try {
    // NOTE: no host means IPv6 and IPv4 where there are both, and IPv4 where there is only that;
    // Fastify would take `undefined` for localhost.
    await app.listen({ port, host: host ?? "" });
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = app.server.address() as AddressInfo;
  return { port: address.port, origin: `http://${toHost(host)}:${address.port}` };
}

function toHost(host = "localhost"): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
