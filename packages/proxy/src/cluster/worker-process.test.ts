import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { ToPrimary } from "./messages.ts";
import { WorkerProcess } from "./worker-process.ts";

test("messages of a worker that arrive after its exit are ignored", async () => {
  const process = Object.assign(new EventEmitter(), { pid: 7, send: () => true });
  const worker = Object.assign(new EventEmitter(), { id: 1, process });
  const received: ToPrimary[] = [];
  const { exited, listening } = new WorkerProcess(worker as unknown as Worker, (_from, message) =>
    received.push(message),
  );
  worker.emit("message", { kind: "hello" });
  worker.emit("exit", 0, null);
  expect(await exited).toBe("exited with code 0");
  worker.emit("message", { kind: "loaded", source: 0, revision: "1" });
  expect(received).toEqual([{ kind: "hello" }]);
  await expect(listening).rejects.toThrow("Worker 1 (process 7) exited with code 0");
});
