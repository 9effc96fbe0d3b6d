import { expect, test } from "vitest";
import { describeRecordedReason } from "../../../admin/src/event-words/stale-reason.ts";
import type { CleanupFlag } from "../api/types.ts";
import { describeKeep, describeStage, describeUsers, describeWhy } from "./describe-stale.ts";

const LIVE = { stage: "live", enteredStageAt: "2026-03-01T00:00:00Z" } as const;
const since = "2026-06-03T00:00:00.000Z";
const environments = ["production"];
const constant = { kind: "constant", since, environments, value: { enabled: true } } as const;

test.each<[Partial<Parameters<typeof describeWhy>[0]>, string]>([
  [
    { staleReason: constant, daysPastLifetime: 40 },
    "On for everyone in production since 3 Jun 2026, 40 days past its lifetime",
  ],
  [
    { staleReason: { ...constant, value: { enabled: false } }, daysPastLifetime: 1 },
    "Off for everyone in production since 3 Jun 2026, 1 day past its lifetime",
  ],
  [
    {
      staleReason: {
        ...constant,
        environments: ["eu", "us"],
        value: { enabled: true, variant: "On <b>" },
      },
    },
    "Variant “On <b>” for everyone in eu and us since 3 Jun 2026",
  ],
  [{ staleReason: { kind: "unused", since, environments } }, "Not used since 3 Jun 2026"],
  [
    { stale: true, staleReason: constant },
    "Marked as stale, on for everyone in production since 3 Jun 2026",
  ],
  [{ stale: true }, "Marked as stale"],
  [
    { lifecycle: { ...LIVE, stage: "completed", status: "discarded" } },
    "Completed: its code is discarded",
  ],
])("describeWhy() says why a flag can be removed", (flag, words) => {
  const whole = { daysPastLifetime: null, lifecycle: LIVE, stale: false, staleReason: null };
  expect(describeWhy({ ...whole, ...flag })).toBe(words);
});

test.each<[CleanupFlag["keep"], string]>([
  [{ path: "enabled" }, "Keep the enabled path"],
  [{ path: "disabled" }, "Keep the disabled path"],
  [{ path: "variant", variant: "blue" }, "Keep variant “blue”"],
  [{ path: "unknown" }, "Not known which path to keep"],
])("describeKeep() says %s in words", (keep, words) => {
  expect(describeKeep({ keep, staleReason: null })).toBe(words);
});

test("describeKeep() says that nothing asks for an unused flag", () => {
  const staleReason = { kind: "unused", since, environments } as const;
  expect(describeKeep({ keep: { path: "unknown" }, staleReason })).toBe(
    "Nothing asks for it any more",
  );
});

test("describeRecordedReason() says why in an event, whatever it contains", () => {
  expect(describeRecordedReason({ potentiallyStale: true, reason: constant })).toBe(
    "on for everyone in production since 3 Jun 2026",
  );
  expect(describeRecordedReason({ reason: { kind: "unused", since } })).toBe(
    "not used since 3 Jun 2026",
  );
  for (const data of [null, "text", { reason: [] }, { reason: { environments: [1] } }]) {
    expect(describeRecordedReason(data)).toEqual(expect.any(String));
  }
});

test("describeUsers() names the latest applications, and counts the others", () => {
  expect(describeUsers({ applications: ["shop"], applicationCount: 1 })).toBe("shop");
  expect(describeUsers({ applications: ["shop", "blog"], applicationCount: 5 })).toBe(
    "shop, blog and 3 others",
  );
  expect(describeUsers({ applications: [], applicationCount: 0 })).toBe("");
});

test("describeStage() names the stage", () => {
  expect(describeStage(LIVE)).toBe("Live in production");
  expect(describeStage({ ...LIVE, stage: "completed", status: "kept" })).toBe(
    "Completed: its code is kept",
  );
});
