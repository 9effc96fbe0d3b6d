import { Socket } from "node:net";
import { expect, test } from "vitest";
import { findExcess } from "./unread-responses.ts";

const unread = (bytes: number, isLate = true) => ({ socket: new Socket(), bytes, isLate });

test("findExcess() finds the largest responses, until the others fit", () => {
  const [small, large, medium] = [unread(10), unread(90), unread(50)];
  expect(findExcess([small, large, medium], 150)).toEqual({ totalBytes: 150, sockets: [] });
  const excess = findExcess([small, large, medium], 60);
  expect(excess.totalBytes).toBe(150);
  expect(excess.sockets).toHaveLength(1);
  expect(excess.sockets[0]).toBe(large.socket);
  expect(findExcess([small, large, medium], 9).sockets).toHaveLength(3);
});

test("findExcess() counts responses that their peers had no time to read only above four times the limit", () => {
  const recent = unread(400, false);
  expect(findExcess([recent], 100)).toEqual({ totalBytes: 0, sockets: [] });
  expect(findExcess([recent, unread(1)], 100).sockets[0]).toBe(recent.socket);
});
