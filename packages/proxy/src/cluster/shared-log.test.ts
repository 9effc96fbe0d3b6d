import { expect, test } from "vitest";
import { MemoryLogger } from "../../test/_proxy.ts";
import type { MessageToPrimary, ToPrimary, WorkerPeer } from "./messages.ts";
import { createSharedLogger, SharedLog } from "./shared-log.ts";

const createWorker = (name: string): WorkerPeer => ({ name, send: () => {} });

function setUp() {
  const logger = new MemoryLogger();
  const [one, two, three] = ["one", "two", "three"].map(createWorker) as [
    WorkerPeer,
    WorkerPeer,
    WorkerPeer,
  ];
  const workers = new Set([one, two]);
  const log = new SharedLog({ logger, workers: () => workers });
  const report = (worker: WorkerPeer, message: string): void =>
    log.report(worker, { kind: "log", level: "error", message });
  const exit = (worker: WorkerPeer): void => {
    workers.delete(worker);
    log.leave(worker);
  };
  return {
    one,
    two,
    three,
    workers,
    report,
    exit,
    messages: () => logger.lines.map(({ parts }) => parts[0]),
  };
}

test("SharedLog logs once what every worker reports, however late, and again when it recurs", () => {
  const { one, two, report, messages } = setUp();
  report(one, "a");
  report(one, "b");
  report(two, "a");
  report(two, "b");
  expect(messages()).toEqual(["a", "b"]);
  report(two, "a");
  report(one, "a");
  expect(messages()).toEqual(["a", "b", "a"]);
});

test("SharedLog logs again what one worker reports again before another one has", () => {
  const { one, two, report, messages } = setUp();
  report(one, "a");
  report(one, "a");
  report(two, "a");
  expect(messages()).toEqual(["a", "a"]);
});

test("SharedLog logs what the successors of workers report", () => {
  const { one, two, three, workers, report, exit, messages } = setUp();
  report(one, "a");
  workers.add(three);
  exit(one);
  report(three, "a");
  expect(messages()).toEqual(["a", "a"]);
  exit(two);
  report(three, "a");
  expect(messages()).toEqual(["a", "a", "a"]);
});

test("createSharedLogger() sends messages to the primary process", () => {
  const sent: ToPrimary[] = [];
  const logger = createSharedLogger({ send: async (message) => void sent.push(message) });
  logger.warn("a");
  expect(sent).toEqual([
    { kind: "log", level: "warn", message: "a" } satisfies MessageToPrimary<"log">,
  ]);
});
