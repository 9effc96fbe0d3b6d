import fc from "fast-check";
import { expect, test } from "vitest";
import { MemberTable } from "./membership.ts";

const text = fc.constantFrom("", "a", "b", "c", "__proto__");

test("has() and membershipsOf() tell which lists a text is in", () => {
  fc.assert(
    fc.property(fc.array(fc.array(text)), fc.option(text), (lists, sought) => {
      const table = new MemberTable();
      expect(lists.map((list) => table.add(list))).toEqual([...lists.keys()]);
      const expected = lists.map((list) => sought !== null && list.includes(sought));
      expect(lists.map((_, position) => table.has(sought, position))).toEqual(expected);
      expect(table.membershipsOf(sought)).toEqual(expected.map(Number));
    }),
  );
});
