import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "./tools.mjs";

const POLL_MS = 200;
/** Generous, because CI runs on few cores. */
const TIMEOUT_MS = 60_000;

/**
 * Returns a function that starts containers as `docker run --read-only --cap-drop ALL` does: with a
 * process id namespace of their own, a read-only root file system and no capabilities.
 */
export function createRuntime({ image, directory }) {
  const started = [];
  const runc = (...args) => run("runc", ["--root", join(directory, "runc"), ...args]);

  const start = async (name, options = {}) => {
    const bundle = join(directory, name);
    await mkdir(bundle, { recursive: true });
    await writeFile(join(bundle, "config.json"), JSON.stringify(toSpec(image, name, options)));
    const child = spawn("runc", ["--root", join(directory, "runc"), "run", "-b", bundle, name], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const container = createContainer(name, child, runc);
    started.push(container);
    return container;
  };

  const stopAll = async () => {
    for (const container of started.toReversed()) await container.remove();
  };
  return { start, started, stopAll };
}

function createContainer(name, child, runc) {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  const exited = once(child, "exit").then(([code]) => code);

  return {
    name,
    exited,
    output: () => output,

    /** Runs a program in the container. Returns its exit code and its output. */
    exec(...command) {
      try {
        return { code: 0, output: runc("exec", name, ...command) };
      } catch (error) {
        return { code: 1, output: error.message };
      }
    },

    /** Resolves when the program succeeds in the container. */
    async waitFor(...command) {
      const deadlineMs = performance.now() + TIMEOUT_MS;
      for (;;) {
        const result = this.exec(...command);
        if (result.code === 0) return;
        if (child.exitCode !== null || performance.now() > deadlineMs) {
          throw new Error(`${name} did not become ready: ${result.output}\n${output}`);
        }
        await delay(POLL_MS);
      }
    },

    /** Sends a signal, by default SIGTERM. Resolves to the exit code and the time it took. */
    async stop(signal = "TERM") {
      const startMs = performance.now();
      runc("kill", name, signal);
      const code = await exited;
      return { code, elapsedMs: performance.now() - startMs };
    },

    async remove() {
      if (child.exitCode !== null) return;
      try {
        runc("kill", name, "KILL");
      } catch {
        child.kill("SIGKILL");
      }
      await exited;
    },
  };
}

/** The runtime specification of the Open Container Initiative, version 1. */
function toSpec(
  { root, config },
  name,
  { command, env = {}, user, mounts = [], seccomp, procOptions = [] },
) {
  const [uid, gid] = (user ?? config.User).split(":").map(Number);
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return {
    ociVersion: "1.0.2",
    process: {
      user: { uid, gid },
      args: command ?? [...(config.Entrypoint ?? []), ...config.Cmd],
      env: [...config.Env, ...variables],
      cwd: config.WorkingDir,
      capabilities: { bounding: [], effective: [], permitted: [], inheritable: [] },
      noNewPrivileges: true,
    },
    root: { path: root, readonly: true },
    hostname: name,
    mounts: [
      { destination: "/proc", type: "proc", source: "proc", options: procOptions },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755"] },
      ...mounts.map(toMount),
    ],
    linux: {
      namespaces: [{ type: "pid" }, { type: "mount" }, { type: "ipc" }, { type: "uts" }],
      ...(seccomp && { seccomp }),
    },
  };
}

/** A file or directory of the machine, or without `source` an empty directory in memory. */
function toMount({ destination, source, writable = false }) {
  if (source === undefined) {
    return { destination, source: "tmpfs", type: "tmpfs", options: ["nosuid", "uid=65532"] };
  }
  return { destination, source, type: "bind", options: ["bind", writable ? "rw" : "ro"] };
}
