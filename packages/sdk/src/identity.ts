import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { env, version as nodeVersion } from "node:process";

/** The version of this package, as its package.json says. */
export const SDK_VERSION = "0.1.0";

/** How the client names its software on the wire. */
export const SDK_NAME: string = `flags-sdk:${SDK_VERSION}`;

/** The version of the client specification whose features we understand; 5.2.0 includes deltas. */
export const CLIENT_SPEC_VERSION = "5.2.0";

/** Who a client says it is. */
export interface Identity {
  readonly appName: string;
  readonly instanceId: string;
  readonly connectionId: string;
}

/** The part of registrations and usage reports that says what runs the client. */
export interface Platform {
  readonly platformName: string;
  readonly platformVersion: string;
  readonly yggdrasilVersion: null;
  readonly specVersion: string;
}

export const PLATFORM: Platform = {
  platformName: "node",
  platformVersion: nodeVersion,
  yggdrasilVersion: null,
  specVersion: CLIENT_SPEC_VERSION,
};

/** An instance id that tells the host to a person and differs between two clients on it. */
export function generateInstanceId(): string {
  return `${hostname()}-${randomUUID().slice(0, 8)}`;
}

/** The name that the strategy `applicationHostname` compares with: `HOSTNAME`, else the host's own. */
export const HOST_NAME: string = env["HOSTNAME"] ?? hostname();
