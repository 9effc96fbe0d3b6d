import type { Logger, TrustProxy } from "flags-server-kit";
import type { InitToken } from "../access/init-tokens.ts";

/** Everything the service was told, checked and with defaults filled in. Never changes. */
export interface AdminConfig {
  readonly port: number;
  /** Address to listen on; undefined for all of this machine. */
  readonly host: string | undefined;
  /** Connections that may be open at a time. */
  readonly maxConnections: number;
  /** Peers whose `X-Forwarded-For` header names the client. */
  readonly trustProxy: TrustProxy;
  /** A PostgreSQL database; undefined for the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Directory of the embedded database. */
  readonly dataDir: string;
  /** The embedded database refuses writes while less than this is free. */
  readonly minFreeDiskBytes: number;
  /** Tokens that are made at the start, where there are none of their text. */
  readonly initTokens: readonly InitToken[];
  readonly logger: Logger;
  readonly useJsonLogger: boolean;
}
