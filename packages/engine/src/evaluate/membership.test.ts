import fc from "fast-check";
import { expect, test } from "vitest";
import { ListIndex } from "./membership.ts";

const text = fc.constantFrom("", "a", "b", "c", "__proto__");

test("contains() and membershipsOf() return which lists contain a string", () => {
  fc.assert(
    fc.property(fc.array(fc.array(text)), fc.option(text), (lists, sought) => {
      const index = new ListIndex();
      expect(lists.map((list) => index.add(list))).toEqual([...lists.keys()]);
      const expected = lists.map((list) => sought !== null && list.includes(sought));
      expect(lists.map((_, position) => index.contains(sought, position))).toEqual(expected);
      expect(index.membershipsOf(sought)).toEqual(expected.map(Number));
    }),
  );
});
