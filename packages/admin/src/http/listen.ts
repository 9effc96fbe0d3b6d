import type { FastifyInstance } from "fastify";
import { type ListenAddress, type OpenPort, openPort } from "flags-server-kit";

/** Starts to listen. If the port cannot be opened, closes the application and throws. */
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<OpenPort> {
  try {
    // NOTE: the framework closes only a server that it has started itself.
    return await openPort(app.server, address, (options) => app.listen(options));
  } catch (error) {
    await app.close();
    throw error;
  }
}
