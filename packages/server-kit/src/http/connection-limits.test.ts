import { expect, test } from "vitest";
import {
  defaultMaxConnections,
  explainUnreachableLimit,
  parseOpenFileLimit,
  shareStreams,
  streamsWithin,
} from "./connection-limits.ts";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             unlimited            unlimited            processes
Max open files            1024                 4096                 files
Max locked memory         8388608              8388608              bytes
`;

test("parseOpenFileLimit() reads the soft limit", () => {
  expect(parseOpenFileLimit(LIMITS)).toBe(1024);
  expect(parseOpenFileLimit(LIMITS.replace("1024", "unlimited"))).toBeUndefined();
  expect(parseOpenFileLimit("")).toBeUndefined();
});

test.each([
  [10_000, { limit: undefined }, 20_000],
  [10_000, { limit: 1_048_576 }, 20_000],
  [50_000, { limit: 1_048_576 }, 60_000],
  [10_000, { limit: 1024 }, 921],
  [10_000, { limit: 1024, minReserved: 256 }, 768],
  [0, { limit: 300 }, 236],
  [0, { limit: 300, minReserved: 256 }, 150],
  [0, { limit: 40 }, 20],
  [0, { limit: 1 }, 1],
])("defaultMaxConnections() for %d streams and open files %j is %d", (...row) => {
  const [streams, openFiles, expected] = row;
  expect(defaultMaxConnections(streams, openFiles)).toBe(expected);
});

test.each([
  [20_000, 10_000, 10_000],
  [110_000, 100_000, 100_000],
  [921, 10_000, 690],
  [10_000, 10_000, 9000],
  [1, 10_000, 1],
  [20_000, 0, 0],
])("streamsWithin() %d connections of %d streams allows %d", (connections, streams, expected) => {
  expect(streamsWithin(connections, streams)).toBe(expected);
});

test.each([
  [20_000, 10_000, [10_000, 9000]],
  [30_000, 10_000, [10_000, 10_000]],
  [20_000, 15_000, [15_000, 4000]],
  [110_000, 100_000, [100_000, 9000]],
  [11_000, 10_000, [9000, 1000]],
  [921, 10_000, [517, 173]],
  [10_000, 0, [0, 9000]],
  [1, 10_000, [1, 1]],
])("shareStreams() %d connections among %d and 10000 streams allows %j", (...row) => {
  const [connections, streams, expected] = row;
  expect(shareStreams(connections, streams, 10_000)).toEqual(expected);
});

test("explainUnreachableLimit() names both numbers", () => {
  const explain = (maxConnections: number, limit?: number) =>
    explainUnreachableLimit("MAX_CONNECTIONS", maxConnections, { limit });
  expect(explain(921, 1024)).toBeUndefined();
  expect(explain(5000)).toBeUndefined();
  expect(explain(922, 1024)).toBe(
    "MAX_CONNECTIONS is 922, but the open-file limit of this process, which includes connections, is 1024: raise it (ulimit -n), or set MAX_CONNECTIONS to at most 921",
  );
});
