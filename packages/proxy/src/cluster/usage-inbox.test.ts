import type { ApplicationUsage } from "flags-sdk";
import { expect, test } from "vitest";
import { UsageInbox } from "./usage-inbox.ts";

const toUsage = (appName: string): ApplicationUsage => ({ appName, startMs: 1, features: {} });

/** An inbox before a source that has room for so many reports. */
function createInbox(room: number) {
  const accepted: string[] = [];
  const told: boolean[] = [];
  const source = {
    room,
    reportUsage({ appName }: ApplicationUsage): boolean {
      if (accepted.length >= this.room) return false;
      accepted.push(appName);
      return true;
    },
  };
  const inbox = new UsageInbox({ source, onRoomChange: (hasRoom) => told.push(hasRoom) });
  return { inbox, source, accepted, told };
}

test("take() keeps what finds no room, and says once that there is none", () => {
  const { inbox, accepted, told } = createInbox(1);
  for (const name of ["a", "b", "c"]) inbox.take(toUsage(name));
  expect(accepted).toEqual(["a"]);
  expect(told).toEqual([false]);
  expect(inbox.hasRoom).toBe(false);
});

test("take() lets no report overtake those that wait", () => {
  const { inbox, source, accepted } = createInbox(0);
  inbox.take(toUsage("a"));
  source.room = 1;
  inbox.take(toUsage("b"));
  expect(accepted).toEqual([]);
});

test("retry() passes on what fits, and says when nothing waits any more", () => {
  const { inbox, source, accepted, told } = createInbox(0);
  for (const name of ["a", "b", "c"]) inbox.take(toUsage(name));
  source.room = 2;
  inbox.retry();
  expect(accepted).toEqual(["a", "b"]);
  expect(inbox.waiting).toBe(1);
  expect(told).toEqual([false]);
  source.room = 3;
  inbox.retry();
  expect(accepted).toEqual(["a", "b", "c"]);
  expect(told).toEqual([false, true]);
});

test("retry() says nothing when nothing waits", () => {
  const { inbox, told } = createInbox(1);
  inbox.retry();
  expect(told).toEqual([]);
});
