import { expect, test } from "vitest";
import { Doorkeeper } from "./doorkeeper.ts";
import { withMark } from "./marked-text.ts";

const markOf = (user: number): number =>
  withMark(`/proxy?userId=user-${user}&sessionId=session-${user}&properties%5Bplan%5D=free`).mark;

test("knows() lets a text pass the second time", () => {
  const doorkeeper = new Doorkeeper();
  expect(doorkeeper.knows(markOf(1))).toBe(false);
  expect(doorkeeper.knows(markOf(1))).toBe(true);
  expect(doorkeeper.knows(markOf(2))).toBe(false);
});

test("knows() tells most texts apart that it never saw", () => {
  const doorkeeper = new Doorkeeper();
  let mistaken = 0;
  for (let user = 0; user < 100_000; user++) mistaken += Number(doorkeeper.knows(markOf(user)));
  expect(mistaken).toBeLessThan(5000);
});
