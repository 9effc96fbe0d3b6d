import type { FlagOrigin } from "flags-sdk";
import { expect, test } from "vitest";
import { ageMsOf } from "./age.ts";

const NEVER = { confirmedAtMs: undefined, lastFetchAtMs: undefined };

test.each<FlagOrigin>(["bootstrap", "store", "shared", "upstream"])(
  "flags of the origin %s are as old as their confirmation, even while a stream is open",
  (origin) => {
    // Such as restored flags while the stream of the upstream has none, which are held back.
    const source = { origin, isLive: true };
    expect(ageMsOf({ ...source, ...NEVER })).toBeUndefined();
    const confirmedAtMs = performance.now() - 60_000;
    expect(ageMsOf({ ...source, ...NEVER, confirmedAtMs })).toBeGreaterThanOrEqual(60_000);
  },
);

test.each<FlagOrigin | undefined>(["file", undefined])(
  "flags of the origin %s are current while changes arrive as they happen",
  (origin) => {
    expect(ageMsOf({ ...NEVER, origin, isLive: true, confirmedAtMs: 0 })).toBe(0);
    expect(ageMsOf({ ...NEVER, origin, isLive: false })).toBeUndefined();
  },
);
