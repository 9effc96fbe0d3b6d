// A PostgreSQL server with its default settings, for the duration of a benchmark.

import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findFreePorts } from "../../scripts/free-ports.mjs";
import { findProgram } from "../../scripts/system-programs.mjs";
import { startProgram, stop } from "./processes.mjs";

const ATTEMPTS = 200;

/** @returns `databaseUrl` of an empty database, and `stop` */
export async function startPostgres() {
  const initdb = findProgram("initdb");
  if (initdb === undefined) throw new Error("PostgreSQL is not installed");
  const owner = process.getuid() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  const directory = mkdtempSync(join(tmpdir(), "flags-bench-"));
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid);
  const data = join(directory, "data");
  const initialize = ["-D", data, "-U", "flags", "-A", "trust", "-E", "UTF8", "--locale=C"];
  execFileSync(initdb, initialize, { stdio: "pipe", cwd: directory, ...owner });
  const [port] = await findFreePorts(1);
  const server = startProgram(
    join(dirname(initdb), "postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", "-c", "log_min_messages=fatal"],
    { env: {}, cwd: directory, ...owner },
  );
  const databaseUrl = `postgres://flags@127.0.0.1:${port}/postgres`;
  await waitUntilReady(databaseUrl);
  return {
    databaseUrl,
    async stop() {
      await stop(server);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function idOf(option) {
  return Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
}

async function waitUntilReady(connectionString) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const client = new pg.Client({ connectionString });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await delay(100);
    }
  }
  throw new Error("PostgreSQL does not start");
}
