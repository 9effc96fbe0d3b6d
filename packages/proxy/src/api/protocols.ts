import { FRONTEND } from "./frontend/protocol.ts";
import { OFREP } from "./ofrep/protocol.ts";
import type { ProtocolDefinition } from "./protocol.ts";
import { PROXY } from "./proxy/protocol.ts";

/**
 * The client protocols. To add one:
 *
 * 1. Create a folder next to these with its `ProtocolDefinition` (paths, routes, context reader, flag format,
 *    errors, events of streams), and add it to this list.
 * 2. If its paths are not below those that are published already, add them to `ingress.yaml` and `httproute.yaml` in
 *    `deploy/helm/flags-proxy/templates`.
 */
export const PROTOCOLS: readonly ProtocolDefinition[] = [PROXY, FRONTEND, OFREP];
