// The processes of the benchmark: Redis and the replicas.

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePorts } from "../../../scripts/free-ports.mjs";
import { findProgram } from "../../../scripts/system-programs.mjs";
import { startProgram, stop } from "../../lib/processes.mjs";

/** Replicas that start at the same time: more would only compete for the cores. */
const BATCH = 4;

/** Starts Redis without persistence on a free port. */
export async function startRedis() {
  const command = findProgram("redis-server");
  if (command === undefined) throw new Error("This part requires redis-server");
  const [port] = await findFreePorts(1);
  const start = async () => {
    const child = startProgram(command, ["--port", port, "--bind", "127.0.0.1", "--save", ""], {});
    child.stderr?.resume();
    await untilAccepting(port);
    return child;
  };
  let child = await start();
  return {
    address: `redis://127.0.0.1:${port}`,
    async restart(pauseMs) {
      await stop(child);
      await delay(pauseMs);
      child = await start();
    },
    stop: () => stop(child),
  };
}

async function untilAccepting(port) {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(20);
  }
}

/**
 * Starts replicas, a few at a time.
 *
 * @param start starts one
 */
export async function startReplicas(count, start) {
  const replicas = [];
  while (replicas.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - replicas.length) }, start);
    replicas.push(...(await Promise.all(batch)));
  }
  return {
    replicas,
    stop: () => Promise.all(replicas.map((replica) => replica.stop())),
  };
}

/** Opens a stream to a replica, which calls a function for each change of its flags. */
export async function followChanges({ port, headers }, onChange) {
  const socket = connect(port, "127.0.0.1");
  const body = '{"context":{}}';
  socket.setEncoding("latin1");
  socket.write(
    "POST /proxy/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n" +
      `Authorization: ${headers.authorization}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("data", (text) => {
      if (!text.includes("event: toggles")) return;
      resolve();
      onChange();
    });
  });
  return () => socket.destroy();
}
