import { findLocalUrl } from "flags-server-kit/command-line";
import type { AdminConfig } from "../config/config.ts";
import { SETTINGS } from "../config/settings.ts";

/**
 * Returns the URL at which a service with this configuration can be reached on this machine.
 *
 * @throws {ConfigError} if its port is not known
 */
export function findOwnUrl({ port, host }: Pick<AdminConfig, "host" | "port">): string {
  return findLocalUrl(
    { port: SETTINGS.port, host: SETTINGS.host },
    { environment: { PORT: String(port), ...(host !== undefined && { HOST: host }) } },
  );
}
