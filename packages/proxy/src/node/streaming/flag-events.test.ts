import type { Context } from "flags-engine";
import { expect, test } from "vitest";
import { flag, withConstraint } from "../../../test/_documents.ts";
import { DocumentSource } from "../../../test/_source.ts";
import { OFREP } from "../../core/protocols/ofrep/protocol.ts";
import { proxyFormat } from "../../core/protocols/proxy.ts";
import { writeToggles } from "../../core/routes/toggles.ts";
import { createRenderer } from "../../core/response/rendering.ts";
import { FlagEvents } from "./flag-events.ts";

const snapshotOf = (...features: readonly object[]) => {
  const { snapshot } = new DocumentSource({ features });
  if (snapshot === undefined) throw new Error("The document was not compiled");
  return snapshot;
};
const format = { ...createRenderer(proxyFormat), write: writeToggles };
const formats = new Map([
  ["toggles", format],
  ["refetch", { ...format, ...OFREP.streamEvents }],
]);
const create = (): FlagEvents => new FlagEvents(formats);
const subscriptionOf = (userId: unknown, extra: Context = {}) => ({
  context: { userId, ...extra },
});

test("get() evaluates subscriptions once that differ only in irrelevant fields", () => {
  const events = create();
  const snapshot = snapshotOf(flag("a", { strategies: [withConstraint("userId", ["1"])] }));
  const first = events.get(snapshot, subscriptionOf("1", { sessionId: "x" }));
  expect(events.get(snapshot, subscriptionOf("1", { sessionId: "y" }))).toBe(first);
  expect(events.get(snapshot, subscriptionOf("2"))).not.toBe(first);
  expect(first.bytes).toBe(first.bytes);
  expect(first.bytes.toString()).toBe(
    `event: toggles\nid: ${first.id}\ndata: {"toggles":[{"name":"a","enabled":true,` +
      `"variant":{"name":"disabled","enabled":false},"impressionData":false}]}\n\n`,
  );
});

test("get() distinguishes selections of toggles", () => {
  const events = create();
  const snapshot = snapshotOf(flag("a", { strategies: [withConstraint("userId", ["1"])] }));
  const subscription = subscriptionOf("2");
  const ids = [
    events.get(snapshot, subscription),
    events.get(snapshot, { ...subscription, all: true }),
    events.get(snapshot, { ...subscription, toggles: [] }),
    events.get(snapshot, { ...subscription, toggles: ["b"] }),
  ].map(({ bytes }) => /data: (.*)/.exec(bytes.toString())?.[1]);
  expect(ids[0]).toBe('{"toggles":[]}');
  expect(ids[1]).toContain('"name":"a","enabled":false');
  expect(ids[2]).toBe('{"toggles":[]}');
  expect(ids[3]).toContain('"name":"b","enabled":false');
});

test("get() evaluates every subscription separately if a rule is random", () => {
  const events = create();
  const random = { name: "gradualRolloutRandom", parameters: { percentage: "50" } };
  const snapshot = snapshotOf(flag("a", { strategies: [random] }));
  const ids = Array.from({ length: 64 }, () => events.get(snapshot, subscriptionOf("1")).id);
  expect(new Set(ids).size).toBe(2);
});

test("get() evaluates rules that depend on the time again after clear()", () => {
  const events = create();
  const constraint = { contextName: "currentTime", operator: "DATE_AFTER", value: "2020-01-01" };
  const strategy = { name: "default", parameters: {}, constraints: [constraint] };
  const snapshot = snapshotOf(flag("a", { strategies: [strategy] }));
  const first = events.get(snapshot, subscriptionOf("1"));
  expect(events.get(snapshot, subscriptionOf("2"))).toBe(first);
  expect(events.get(snapshot, subscriptionOf("2", { currentTime: "2019-01-01" }))).not.toBe(first);
  events.clear();
  expect(events.get(snapshot, subscriptionOf("1"))).not.toBe(first);
});

test("get() never returns an event of another snapshot", () => {
  const events = create();
  const [on, off] = [snapshotOf(flag("a")), snapshotOf(flag("a", { enabled: false }))];
  const first = events.get(on, subscriptionOf("1"));
  expect(events.get(off, subscriptionOf("1")).id).not.toBe(first.id);
  expect(events.get(on, subscriptionOf("1")).id).toBe(first.id);
});

test("get() for a refetch subscription contains no toggles", () => {
  const events = create();
  const snapshot = snapshotOf(flag("a", { strategies: [withConstraint("userId", ["1"])] }));
  const toggles = events.get(snapshot, subscriptionOf("1"));
  const refetch = events.get(snapshot, { ...subscriptionOf("1"), kind: "refetch" });
  expect(refetch.id).toBe(toggles.id);
  const data = JSON.stringify({ type: "refetchEvaluation", etag: refetch.id });
  expect(refetch.bytes.toString()).toBe(`event: message\nid: ${refetch.id}\ndata: ${data}\n\n`);
});
