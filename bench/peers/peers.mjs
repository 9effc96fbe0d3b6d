import { startBare } from "./bare.mjs";
import { startEdge } from "./edge.mjs";
import { startOldProxy } from "./old-proxy.mjs";
import { startOurs, startPrevious } from "./ours.mjs";

const EDGE = process.env.EDGE_BIN ? { edge: startEdge } : {};

const PREVIOUS = process.env.PREVIOUS_CHECKOUT ? { previous: startPrevious } : {};

/** How to start each server, by name. Ours comes first: the bare server copies its responses. */
export const PEERS = {
  ours: startOurs,
  ...PREVIOUS,
  old: startOldProxy,
  bare: startBare,
  ...EDGE,
};
