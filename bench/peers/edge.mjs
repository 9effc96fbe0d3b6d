import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../processes/start-server.mjs";

const SERVER_TOKEN = "*:development.bench-server";
const CLIENT_TOKEN = "*:development.bench-client";

/** Edge, from the binary that `EDGE_BIN` names, with the flags in a file and one worker thread. */
export async function startEdge({ document }) {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  const file = join(directory, "features.json");
  await writeFile(file, JSON.stringify(document));
  const offline = ["offline", "-b", file, "-c", SERVER_TOKEN, "-f", CLIENT_TOKEN];
  const server = await startServer((port) => ({
    command: process.env.EDGE_BIN,
    args: ["-i", "127.0.0.1", "-p", String(port), ...offline],
    healthPath: "/internal-backstage/health",
    env: { TOKIO_WORKER_THREADS: "1" },
  }));
  return {
    ...server,
    path: "/api/frontend",
    headers: { authorization: CLIENT_TOKEN },
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true });
    },
  };
}
