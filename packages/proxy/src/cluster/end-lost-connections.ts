import type { ChildProcess } from "node:child_process";
import type { Worker } from "node:cluster";

/** What node:cluster says when it hands over a connection, which is private to Node. */
interface HandOver {
  readonly act?: string;
  readonly seq?: number;
}

/** What a worker says when it has taken it. */
interface Taken {
  readonly ack?: number;
}

interface Connection {
  close(): void;
}

/**
 * Ends the connections that a worker was being handed when it died. node:cluster forgets them, open, so that
 * their callers wait for nothing (nodejs/node-v0.x-archive#7006; of Node 20 to 24 every fifth kill of a
 * busy worker left one).
 *
 * NOTE: Node documents nothing that shows these connections, so its own messages are read. If a version of
 * Node has other ones, this does nothing, and a test fails.
 */
export function endLostConnections(worker: Worker): void {
  const child: ChildProcess = worker.process;
  const send = child.send.bind(child) as (...sent: unknown[]) => boolean;
  const handedOver = new Map<number | undefined, Connection>();

  child.send = (...sent: unknown[]) => {
    const [message, connection] = sent as [HandOver, Connection];
    if (message.act === "newconn") handedOver.set(message.seq, connection);
    return send(...sent);
  };
  child.on("internalMessage", ({ ack }: Taken) => handedOver.delete(ack));
  worker.once("exit", () => {
    for (const connection of handedOver.values()) connection.close();
  });
}
