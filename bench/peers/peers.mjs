import { startBare } from "./bare.mjs";
import { startEdge } from "./edge.mjs";
import { startOldProxy } from "./old-proxy.mjs";
import { startOurs } from "./ours.mjs";

const EDGE = process.env.EDGE_BIN ? { edge: startEdge } : {};

/** How to start what is compared, by name. Ours comes first: the bare server copies its answers. */
export const PEERS = { ours: startOurs, old: startOldProxy, bare: startBare, ...EDGE };
