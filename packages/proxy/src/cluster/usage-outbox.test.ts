import { expect, test } from "vitest";
import type { ToPrimary } from "./messages.ts";
import { UsageOutbox } from "./usage-outbox.ts";

const USAGE = { appName: "web", startMs: 1, features: { a: { yes: 1, no: 0 } } };

/** A channel whose messages leave when the test says so. */
function createChannel() {
  const messages: ToPrimary[] = [];
  const leave: (() => void)[] = [];
  const send = (message: ToPrimary): Promise<void> => {
    messages.push(message);
    return new Promise((resolve) => leave.push(resolve));
  };
  return { messages, leave, send };
}

test("report() hands usage over before it returns", () => {
  const channel = createChannel();
  expect(new UsageOutbox(channel).report(USAGE)).toBe(true);
  expect(channel.messages).toEqual([{ kind: "usage", text: JSON.stringify(USAGE) }]);
});

test("report() refuses while the primary process has no room", () => {
  const channel = createChannel();
  const outbox = new UsageOutbox(channel);
  const answers = [false, true].map((hasRoom) => {
    outbox.hasRoom = hasRoom;
    return outbox.report(USAGE);
  });
  expect(answers).toEqual([false, true]);
  expect(channel.messages).toHaveLength(1);
});

test("report() refuses while a thousand reports have not left the process", async () => {
  const channel = createChannel();
  const outbox = new UsageOutbox(channel);
  const answers = Array.from({ length: 1001 }, () => outbox.report(USAGE));
  expect(answers.indexOf(false)).toBe(1000);
  channel.leave[0]?.();
  await Promise.resolve();
  expect([outbox.report(USAGE), outbox.report(USAGE)]).toEqual([true, false]);
});
