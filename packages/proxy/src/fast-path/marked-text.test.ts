import { expect, test } from "vitest";
import { withMark } from "./marked-text.ts";

test("withMark() marks a text, and never with 0", () => {
  for (const text of ["", "/proxy?userId=1", "ø€😀", "x".repeat(20_000)]) {
    const marked = withMark(text);
    expect(marked).toEqual(withMark(text));
    expect(marked.text).toBe(text);
    for (const number of [marked.mark, marked.check]) {
      expect(number).not.toBe(0);
      expect(number | 0).toBe(number);
    }
  }
});

test("withMark() gives most texts a mark of their own", () => {
  const users = Array.from({ length: 100_000 }, (_, user) => `/proxy?userId=u${user}&plan=free`);
  const marks = new Set(users.map((text) => withMark(text).mark));
  expect(marks.size).toBeGreaterThan(99_900);
});
