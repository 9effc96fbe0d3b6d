import type { ListenAddress } from "flags-server-kit";
import type { ProxyConfig } from "./config.ts";

export function listPorts({
  host,
  port,
  network: { tls, management },
}: Pick<ProxyConfig, "host" | "port" | "network">): readonly Required<ListenAddress>[] {
  const variables = { port: "PORT", host: "HOST" };
  return [
    { port, host, variables },
    ...(tls?.port === undefined
      ? []
      : [{ port: tls.port, host, variables: { ...variables, port: "FLAGS_TLS_PORT" } }]),
    ...(management === undefined ? [] : [{ ...management, variables: MANAGEMENT_VARIABLES }]),
  ];
}

export const MANAGEMENT_VARIABLES = {
  port: "FLAGS_MANAGEMENT_PORT",
  host: "FLAGS_MANAGEMENT_HOST",
};
