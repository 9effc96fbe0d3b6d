import { FRONTEND } from "./frontend/protocol.ts";
import { OFREP } from "./ofrep/protocol.ts";
import type { ProtocolDefinition } from "./protocol.ts";
import { PROXY } from "./proxy/protocol.ts";

/**
 * The client protocols. To add one, create a folder next to these with its `ProtocolDefinition` (paths,
 * routes, context reader, flag format, errors, events of streams), and add it to this list.
 */
export const PROTOCOLS: readonly ProtocolDefinition[] = [PROXY, FRONTEND, OFREP];
