import { expect, test } from "vitest";
import { DeltaLog } from "./delta-log.ts";

const flag = (name: string, text = JSON.stringify({ name })) => ({
  feature: { name, project: "shop" },
  text,
});
const segment = (id: number) => ({ segment: { id }, text: JSON.stringify({ id }) });

function createLog(): DeltaLog {
  const log = new DeltaLog(1, { features: [flag("a"), flag("b")], segments: [segment(1)] });
  log.advance(2, { features: [flag("a"), flag("c")], segments: [segment(2)] });
  log.advance(3, { features: [flag("c")], segments: [segment(2)] });
  return log;
}

test("changes() writes the changes since a revision in an order in which they apply", () => {
  const { id, size, text } = createLog().changes(1, 3);
  expect({ id, size }).toEqual({ id: 3, size: 5 });
  expect(JSON.parse(text)).toEqual({
    events: [
      { eventId: 2, type: "segment-updated", segment: { id: 2 } },
      { eventId: 2, type: "feature-updated", feature: { name: "c" } },
      { eventId: 2, type: "feature-removed", featureName: "b", project: "shop" },
      { eventId: 2, type: "segment-removed", segmentId: 1 },
      { eventId: 3, type: "feature-removed", featureName: "a", project: "shop" },
    ],
  });
});

test("changes() writes other event ids than revisions", () => {
  const { id, text } = createLog().changes(2, 99, () => 99);
  expect(id).toBe(99);
  expect(JSON.parse(text)).toEqual({
    events: [{ eventId: 99, type: "feature-removed", featureName: "a", project: "shop" }],
  });
});

// SDKs based on Yggdrasil reject a whole message if a removal has no project.
test("a removal names the project `default` if the definition names none", () => {
  const log = new DeltaLog(1, { features: [{ feature: { name: "a" }, text: "{}" }], segments: [] });
  log.advance(2, { features: [], segments: [] });
  expect(JSON.parse(log.changes(1, 2).text)).toEqual({
    events: [{ eventId: 2, type: "feature-removed", featureName: "a", project: "default" }],
  });
});

test("changes() writes a flag that is added again as an update, not as a removal", () => {
  const log = createLog();
  log.advance(4, { features: [flag("a"), flag("c")], segments: [segment(2)] });
  expect(JSON.parse(log.changes(2, 4).text)).toEqual({
    events: [{ eventId: 4, type: "feature-updated", feature: { name: "a" } }],
  });
  expect(log.changes(4, 4)).toEqual({ id: 4, size: 0, text: '{"events":[]}' });
});

test("a flag, a segment and one whose id is text can have the same name", () => {
  const state = {
    features: [flag("1")],
    segments: [segment(1), { segment: { id: "1" }, text: '{"id":"1"}' }],
  };
  const log = new DeltaLog(1, state);
  log.advance(2, { ...state, features: [] });
  expect(log.size).toBe(3);
  expect(JSON.parse(log.changes(1, 2).text)).toMatchObject({ events: [{ featureName: "1" }] });
});

test("hydration() writes the complete state", () => {
  const log = createLog();
  expect(JSON.parse(log.hydration(3).text)).toEqual({
    events: [{ eventId: 3, type: "hydration", features: [{ name: "c" }], segments: [{ id: 2 }] }],
  });
  expect([...log.texts()]).toEqual(['{"name":"c"}', '{"id":2}']);
});

test("a log forgets the oldest of more than 1,000 removals", () => {
  const log = createLog();
  expect(log.size).toBe(5);
  expect(log.completeSince).toBe(1);
  log.advance(4, { features: Array.from({ length: 998 }, (_, i) => flag(`${i}`)), segments: [] });
  log.advance(5, { features: [], segments: [] });
  expect(log.completeSince).toBe(3);
});
