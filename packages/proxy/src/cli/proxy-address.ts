import { SETTINGS } from "../config/settings.ts";

/** What follows the base path in the addresses that clients use. NOTE: not the host name `proxy`. */
const CLIENT_PATH = /^(https?:\/\/[^/]+.*?)\/(?:api\/frontend|proxy)$/i;

/** Operators may pass the address that clients use, or only the address of the server. */
export function removeClientPath(address: string): string {
  return address.replace(/\/+$/, "").replace(CLIENT_PATH, "$1");
}

const { port, host, basePath, tlsCertFile, tlsClientCaFile, tlsPort, tlsRedirect } = SETTINGS;

/** The settings that determine the address for clients. */
export const LISTEN_SETTINGS = {
  port,
  host,
  basePath,
  tlsCertFile,
  tlsClientCaFile,
  tlsPort,
  tlsRedirect,
};
