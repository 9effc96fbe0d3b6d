import { expect, test } from "vitest";
import { Doorkeeper } from "./doorkeeper.ts";
import { type MarkedText, withMark } from "./marked-text.ts";

const questionOf = (user: number): MarkedText =>
  withMark(`/proxy?userId=user-${user}&sessionId=session-${user}&properties%5Bplan%5D=free`);

test("knows() lets a text pass the second time", () => {
  const doorkeeper = new Doorkeeper();
  expect(doorkeeper.knows(questionOf(1))).toBe(false);
  expect(doorkeeper.knows(questionOf(1))).toBe(true);
  expect(doorkeeper.knows(questionOf(2))).toBe(false);
});

// For each that passes by mistake a whole answer is kept that nobody asks for.
test("knows() takes none of a million texts for another", () => {
  const doorkeeper = new Doorkeeper();
  let mistaken = 0;
  for (let user = 0; user < 1_000_000; user++) {
    mistaken += Number(doorkeeper.knows(questionOf(user)));
  }
  expect(mistaken).toBe(0);
});
