import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { env, version as nodeVersion } from "node:process";

/** The version of this package, equal to the one in package.json. */
export const SDK_VERSION = "0.1.0";

/** Name and version of this SDK in the upstream protocol. */
export const SDK_NAME: string = `flags-sdk:${SDK_VERSION}`;

/** The version of the client specification that this SDK supports; 5.2.0 includes deltas. */
export const CLIENT_SPEC_VERSION = "5.2.0";

/** Identifies a client to the upstream. */
export interface Identity {
  readonly appName: string;
  readonly instanceId: string;
  readonly connectionId: string;
}

/** Identifies a new connection of a client. */
export function createIdentity({
  appName,
  instanceId,
}: Pick<Identity, "appName" | "instanceId">): Identity {
  return { appName, instanceId, connectionId: randomUUID() };
}

/** The part of registrations and usage reports that describes the platform. */
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

/** Returns the host name with a random suffix, so that two clients on one host differ. */
export function generateInstanceId(): string {
  return `${hostname()}-${randomUUID().slice(0, 8)}`;
}

/** The host name for the strategy `applicationHostname`: `HOSTNAME` if set, else the name that the system reports. */
export const HOST_NAME: string = env["HOSTNAME"] ?? hostname();
