import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Linux, macOS and Windows choose the ports of connections, and of servers that listen on port 0, from higher ones.
 * So nothing else takes a free port of this range by chance before the program that it is for listens on it.
 * `fetch` rejects port 10080.
 */
const RANGE = { first: 10_081, last: 32_767 };

/** Finds ports of 127.0.0.1 that nothing listens on, for programs that cannot choose one themselves. */
export async function findFreePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = randomInt(RANGE.first, RANGE.last + 1);
    // oxlint-disable-next-line no-await-in-loop -- rarely more than one attempt for each
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port) {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    // Windows reserves some ports.
    if (["EADDRINUSE", "EACCES"].includes(error.code)) return false;
    throw error;
  }
  await once(server.close(), "close");
  return true;
}
