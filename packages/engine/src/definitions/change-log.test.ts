import { expect, test } from "vitest";
import { ChangeLog } from "./change-log.ts";

interface Item {
  readonly id: string;
  readonly text: string;
}

const item = (id: string, text = id): Item => ({ id, text });
const a = item("a");
const b = item("b");

function createLog(maxRemoved = 10): ChangeLog<string, Item> {
  return new ChangeLog(({ id }) => id, { revision: 1, items: [a, b], maxRemoved });
}

test("since() returns the latest change of each entry after a revision", () => {
  const log = createLog();
  const changed = item("a", "changed");
  const added = item("c");
  log.advance(2, [changed, b]);
  log.advance(3, [changed, added]);
  expect([...log.items()]).toEqual([changed, added]);
  expect(log.since(1)).toEqual({
    updated: [
      { revision: 2, item: changed },
      { revision: 3, item: added },
    ],
    removed: [{ revision: 3, item: b }],
  });
  expect(log.since(3)).toEqual({ updated: [], removed: [] });
});

test("since() returns an entry that is added again as updated, not as removed", () => {
  const log = createLog();
  log.advance(2, [a]);
  log.advance(3, [a, b]);
  expect(log.since(1)).toEqual({ updated: [{ revision: 3, item: b }], removed: [] });
});

test("completeSince is the revision of the latest removal that the log has dropped", () => {
  const log = createLog(1);
  log.advance(2, [b]);
  expect(log.completeSince).toBe(1);
  log.advance(3, []);
  expect(log.completeSince).toBe(2);
  expect(log.since(2).removed).toEqual([{ revision: 3, item: b }]);
});
