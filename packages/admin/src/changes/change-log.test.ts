import { expect, test } from "vitest";
import { ChangeLog } from "./change-log.ts";
import type { Change } from "./read-changes.ts";

function change(id: number): Change {
  const createdAt = new Date(0);
  const scope = { project: null, feature: null, environment: null };
  return { id, type: "tag-created", ...scope, createdBy: "jane", createdAt };
}

const idsSince = (log: ChangeLog, id: number) =>
  log.since(id)?.map((bytes) => Number(/^id: (\d+)$/m.exec(bytes.toString())?.[1]));

test("ChangeLog returns the changes after an id", () => {
  const log = new ChangeLog(10, 5);
  expect(idsSince(log, 5)).toEqual([]);
  log.append([change(6), change(9)]);
  expect(log.latestId).toBe(9);
  expect(idsSince(log, 5)).toEqual([6, 9]);
  // Ids have gaps: a client with id 7 has everything before it.
  expect(idsSince(log, 7)).toEqual([9]);
  expect(idsSince(log, 9)).toEqual([]);
});

test("ChangeLog does not return changes if others are missing", () => {
  const log = new ChangeLog(2, 5);
  expect(log.since(4)).toBeUndefined();
  expect(log.since(6)).toBeUndefined();
  log.append([change(6), change(7), change(8), change(9)]);
  expect(idsSince(log, 7)).toEqual([8, 9]);
  expect(log.since(6)).toBeUndefined();
});

test("ChangeLog ignores changes that it contains", () => {
  const log = new ChangeLog(10);
  log.append([change(1), change(2)]);
  log.append([change(1), change(2), change(3)]);
  log.append([]);
  expect(idsSince(log, 0)).toEqual([1, 2, 3]);
});

test("ChangeLog writes an event as one line of JSON", () => {
  const log = new ChangeLog(10);
  log.append([{ ...change(1), feature: "a\nb" }]);
  expect(log.since(0)?.toString()).toBe(
    'event: change\nid: 1\ndata: {"id":1,"type":"tag-created","project":null,"feature":"a\\nb","environment":null,"createdBy":"jane","createdAt":"1970-01-01T00:00:00.000Z"}\n\n',
  );
});
