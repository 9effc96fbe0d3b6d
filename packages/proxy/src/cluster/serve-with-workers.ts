import type { RunningServer } from "flags-server-kit";
import type { LoadedConfig } from "../config/assemble-config.ts";
import { findFreePort } from "./find-free-port.ts";
import { Primary } from "./primary.ts";

/** Serves from several processes that share one port and one connection to the upstream. */
export async function serveWithWorkers(config: LoadedConfig): Promise<RunningServer> {
  // NOTE: a port that is chosen by the system would be lost with the last worker that has it.
  const port = config.port === 0 ? await findFreePort(config.host) : config.port;
  const primary = new Primary({ ...config, port });
  const url = await primary.start();
  return { server: undefined, address: `${url}/proxy`, close: () => primary.close() };
}
