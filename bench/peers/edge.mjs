import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram, stop } from "../processes/children.mjs";
import { findFreePort, waitUntilReady } from "../processes/ports.mjs";

const SERVER_TOKEN = "*:development.bench-server";
const CLIENT_TOKEN = "*:development.bench-client";

/** Edge, from the binary that `EDGE_BIN` names, with the flags in a file and one worker thread. */
export async function startEdge({ document }) {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  const file = join(directory, "features.json");
  await writeFile(file, JSON.stringify(document));
  const port = await findFreePort();
  const tokens = ["-c", SERVER_TOKEN, "-f", CLIENT_TOKEN];
  const child = startProgram(
    process.env.EDGE_BIN,
    ["-i", "127.0.0.1", "-p", String(port), "offline", "-b", file, ...tokens],
    { env: { TOKIO_WORKER_THREADS: "1" } },
  );
  await waitUntilReady(`http://127.0.0.1:${port}/internal-backstage/health`);
  return {
    child,
    port,
    path: "/api/frontend",
    headers: { authorization: CLIENT_TOKEN },
    stop: async () => {
      await stop(child);
      await rm(directory, { recursive: true });
    },
  };
}
