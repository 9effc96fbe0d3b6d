import { randomUUID } from "node:crypto";

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

/** What runtimes call themselves, such as `Deno/2.9.6`. Node 20 has no name, and later ones omit most of the version. */
interface RuntimeGlobals {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: { readonly version?: string };
}

function describePlatform({ navigator, process }: RuntimeGlobals): Platform {
  const [name = "", version = "unknown"] = navigator?.userAgent?.split("/") ?? [];
  const isNode = name === "" || name === "Node.js";
  return {
    platformName: isNode ? "node" : name,
    platformVersion: isNode ? (process?.version ?? version) : version,
    yggdrasilVersion: null,
    specVersion: CLIENT_SPEC_VERSION,
  };
}

export const PLATFORM: Platform = describePlatform(globalThis);
