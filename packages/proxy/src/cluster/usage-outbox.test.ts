import { expect, test } from "vitest";
import type { ToPrimary } from "./messages.ts";
import { UsageOutbox } from "./usage-outbox.ts";

const toUsage = (appName: string) => ({ appName, startMs: 1, features: { a: { yes: 1, no: 0 } } });

test("report() hands usage over, and resolves to what is decided about that report", async () => {
  const messages: ToPrimary[] = [];
  const outbox = new UsageOutbox({
    send: async (message) => {
      messages.push(message);
    },
  });
  const answers = ["a", "b"].map((appName) => outbox.report(toUsage(appName)));
  expect(messages).toEqual([
    { kind: "usage", id: 1, text: JSON.stringify(toUsage("a")) },
    { kind: "usage", id: 2, text: JSON.stringify(toUsage("b")) },
  ]);
  outbox.decide({ kind: "decision", id: 2, isAccepted: false });
  outbox.decide({ kind: "decision", id: 1, isAccepted: true });
  expect(await Promise.all(answers)).toEqual([true, false]);
});
