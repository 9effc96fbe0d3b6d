import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Finds a port of a host that nobody has at this moment. */
export async function findFreePort(host: string | undefined): Promise<number> {
  const server = createServer().listen({ port: 0, host: host ?? "" });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
