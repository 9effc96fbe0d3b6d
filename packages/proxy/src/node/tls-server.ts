import { createServer } from "node:https";
import type { CreateServer } from "flags-server-kit/http";
import { type TlsFiles, toContextOptions } from "./tls-files.ts";

/** How long a TLS handshake may take. Node's default is 120 s. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Returns a function that creates TLS servers with the current certificate in these files. */
export function createTlsServers(files: TlsFiles): CreateServer {
  return (options, handle) => {
    const { material } = files;
    const server = createServer(
      {
        ...options,
        ...toContextOptions(material),
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
        requestCert: material.clientCa !== undefined,
        rejectUnauthorized: material.clientCa !== undefined,
      },
      handle,
    );
    files.follow(server);
    return server;
  };
}
