import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../system-programs.mjs";
import { run } from "./tools.mjs";

/** Starts a PostgreSQL server with an empty database and one user, as its official image does. */
export async function startPostgres({ directory, address, database, user, password }) {
  const uid = Number(run("id", ["-u", "postgres"]));
  const gid = Number(run("id", ["-g", "postgres"]));
  // PostgreSQL does not run as root.
  const runAsPostgres = (name, args, options = {}) =>
    run(findProgram(name), args, {
      uid,
      gid,
      cwd: "/",
      env: { PATH: process.env.PATH },
      ...options,
    });

  await mkdir(directory);
  await chown(directory, uid, gid);
  const passwordFile = `${directory}-password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  await chown(passwordFile, uid, gid);
  const data = join(directory, "data");
  runAsPostgres("initdb", [
    `--pgdata=${data}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--no-sync",
  ]);
  const settings = `-c listen_addresses=${address} -c unix_socket_directories= -c fsync=off`;
  // NOTE: the server inherits its output, so a pipe would keep this from returning.
  runAsPostgres(
    "pg_ctl",
    ["start", "--wait", "-D", data, "-l", join(directory, "log"), "-o", settings],
    {
      stdio: "ignore",
    },
  );
  runAsPostgres("createdb", [`--host=${address}`, `--username=${user}`, database], {
    env: { PATH: process.env.PATH, PGPASSWORD: password },
  });
  return {
    stop: () =>
      runAsPostgres("pg_ctl", ["stop", "-m", "immediate", "-D", data], { stdio: "ignore" }),
  };
}
