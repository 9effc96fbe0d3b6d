import { resolveSettings } from "flags-server-kit";
import { expect, test } from "vitest";
import { checkSettings, findUnreachableLimits } from "./check-settings.ts";
import { SETTINGS } from "./settings.ts";

const find = (environment: Record<string, string>, maxConnections: number): readonly string[] =>
  findUnreachableLimits(resolveSettings(SETTINGS, { environment }), maxConnections, {
    limit: 1024,
  });

test("findUnreachableLimits() returns no hint for defaults and for limits that can be reached", () => {
  expect(find({}, 921)).toEqual([]);
  const environment = { FLAGS_MAX_CONNECTIONS: "900", FLAGS_PUSH_MAX_STREAMS: "500" };
  expect(find(environment, 900)).toEqual([]);
});

test("findUnreachableLimits() returns a hint with the numbers for limits that cannot be reached", () => {
  expect(find({ FLAGS_MAX_CONNECTIONS: "5000" }, 5000)).toEqual([
    expect.stringMatching(
      /^FLAGS_MAX_CONNECTIONS is 5000, but the open-file limit .* is 1024: .* at most 921$/,
    ),
  ]);
  expect(find({ FLAGS_PUSH_MAX_STREAMS: "800" }, 921)).toEqual([
    "FLAGS_PUSH_MAX_STREAMS is 800, but at most 517 of 921 connections can be streams to clients: raise FLAGS_MAX_CONNECTIONS (option maxConnections), and the limit of open files (ulimit -n) if necessary",
  ]);
});

test.each([
  ["60000", [/^FLAGS_MAX_STALENESS must be longer than FLAGS_FETCH_INTERVAL/]],
  [
    "0",
    [/^FLAGS_FETCH_INTERVAL is 0, so flags are never confirmed again: when FLAGS_MAX_STALENESS/],
  ],
  ["59999", []],
])("FLAGS_FETCH_INTERVAL=%s with FLAGS_MAX_STALENESS=60000 causes %j", (interval, hints) => {
  const environment = {
    FLAGS_URL: "http://u.test/api",
    FLAGS_FETCH_INTERVAL: interval,
    FLAGS_MAX_STALENESS: "60000",
  };
  const resolution = resolveSettings(SETTINGS, { environment });
  expect(checkSettings(resolution, undefined).hints).toEqual(
    hints.map((hint) => expect.stringMatching(hint)),
  );
});
