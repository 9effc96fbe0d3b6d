import { SETTINGS } from "../config/settings.ts";

/** The settings that determine the address for clients. */
export const LISTEN_SETTINGS = {
  port: SETTINGS.port,
  host: SETTINGS.host,
  basePath: SETTINGS.proxyBasePath,
  tls: {
    certFile: SETTINGS.tlsCertFile,
    clientCaFile: SETTINGS.tlsClientCaFile,
    port: SETTINGS.tlsPort,
    redirect: SETTINGS.tlsRedirect,
  },
} as const;
