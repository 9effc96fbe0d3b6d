import { expect, test } from "vitest";
import { findExcess } from "./unread-responses.ts";

const unread = (bytes: number, isLate = true) => ({ bytes, isLate });

test("findExcess() finds the largest responses until the others fit", () => {
  const [small, large, medium] = [unread(10), unread(90), unread(50)];
  expect(findExcess([small, large, medium], 150)).toEqual({ totalBytes: 150, largest: [] });
  expect(findExcess([small, large, medium], 60)).toEqual({ totalBytes: 150, largest: [large] });
  expect(findExcess([small, large, medium], 9).largest).toEqual([large, medium, small]);
});

test("findExcess() counts responses that peers had no time to read only above four times the limit", () => {
  const recent = unread(400, false);
  expect(findExcess([recent], 100)).toEqual({ totalBytes: 0, largest: [] });
  expect(findExcess([recent, unread(1)], 100).largest).toEqual([recent]);
});
