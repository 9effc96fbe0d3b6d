import { expect, test } from "vitest";
import { RecentChanges, type Change } from "./recent-changes.ts";

function change(id: number): Change {
  const createdAt = new Date(0);
  const scope = { project: null, feature: null, environment: null };
  return { id, type: "tag-created", ...scope, createdBy: "jane", createdAt };
}

const idsSince = (recent: RecentChanges, id: number) =>
  recent.since(id)?.map((change) => change.id);

test("RecentChanges returns the changes after an id", () => {
  const recent = new RecentChanges(10, 5);
  expect(idsSince(recent, 5)).toEqual([]);
  recent.append([change(6), change(9)]);
  expect(recent.latestId).toBe(9);
  expect(idsSince(recent, 5)).toEqual([6, 9]);
  // Ids have gaps: a client with id 7 has everything before it.
  expect(idsSince(recent, 7)).toEqual([9]);
  expect(idsSince(recent, 9)).toEqual([]);
});

test("RecentChanges does not return changes if others are missing", () => {
  const recent = new RecentChanges(2, 5);
  expect(recent.since(4)).toBeUndefined();
  expect(recent.since(6)).toBeUndefined();
  recent.append([change(6), change(7), change(8), change(9)]);
  expect(idsSince(recent, 7)).toEqual([8, 9]);
  expect(recent.since(6)).toBeUndefined();
});

test("RecentChanges ignores changes that it contains", () => {
  const recent = new RecentChanges(10);
  recent.append([change(1), change(2)]);
  recent.append([change(1), change(2), change(3)]);
  recent.append([]);
  expect(idsSince(recent, 0)).toEqual([1, 2, 3]);
});

test("RecentChanges writes an event as one line of JSON", () => {
  const recent = new RecentChanges(10);
  recent.append([{ ...change(1), feature: "a\nb" }]);
  expect(
    recent
      .since(0)
      ?.map(({ bytes }) => bytes.toString())
      .join(""),
  ).toBe(
    'event: change\nid: 1\ndata: {"id":1,"type":"tag-created","project":null,"feature":"a\\nb","environment":null,"createdBy":"jane","createdAt":"1970-01-01T00:00:00.000Z"}\n\n',
  );
});
