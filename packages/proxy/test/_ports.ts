import { once } from "node:events";
import { connect } from "node:net";
import { findFreePorts } from "../../../scripts/free-ports.mjs";

/** Returns a port of this machine that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}

/** Whether a server on this machine accepts connections on a port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
