import fc from "fast-check";
import { expect, test } from "vitest";
import { EvaluationRequest } from "./evaluation-request.ts";
import { ListIndex } from "./membership.ts";

const text = fc.constantFrom("", "a", "b", "c", "__proto__");
const runtime = { now: () => 0, random: () => 0 };

test("a membership says whether its list contains the text, alone and among all flags", () => {
  fc.assert(
    fc.property(fc.array(fc.array(text)), fc.option(text), (lists, sought) => {
      let slots = 1;
      const index = new ListIndex({ index: 0, load: () => sought }, (_form, derive) => ({
        index: slots++,
        load: () => derive(sought),
      }));
      const memberships = lists.map((list) => index.add(list));
      const expected = lists.map((list) => sought !== null && list.includes(sought));
      for (const outcomes of [undefined, new Int32Array(1)]) {
        const request = new EvaluationRequest({}, runtime, outcomes);
        expect(memberships.map((membership) => membership.read(request))).toEqual(expected);
      }
    }),
  );
});
