import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { env } from "node:process";

/** Returns the host name with a random suffix, so that two clients on one host differ. */
export function generateInstanceId(): string {
  return `${hostname()}-${randomUUID().slice(0, 8)}`;
}

/** The host name for the strategy `applicationHostname`: `HOSTNAME` if set, else the name that the system reports. */
export const HOST_NAME: string = env["HOSTNAME"] ?? hostname();
