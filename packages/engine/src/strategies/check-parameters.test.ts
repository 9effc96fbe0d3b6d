import { describe, expect, test } from "vitest";
import { snapshotOf } from "../../test/_evaluate.ts";
import { explain } from "../explain/explain.ts";

function problemsOf(strategy: object, segments: readonly object[] = []): readonly string[] {
  const feature = { name: "flag", enabled: true, strategies: [strategy] };
  return snapshotOf({ features: [feature], segments }).diagnostics.map(({ message }) => message);
}

const ADDRESS = "which no address matches: an entry must be an IP address or range";
const HOST = "which no host matches: an entry must be the name of a host";
const USER = "which matches only with the same white space around it";

describe("checkParameters()", () => {
  test.each([
    [
      "remoteAddress",
      { IPs: "999.1.1.1, 10.0.0.0/99,10.0.0.1" },
      `IPs contains "999.1.1.1", "10.0.0.0/99", ${ADDRESS}`,
    ],
    [
      "remoteAddress",
      { IPs: "a,b,c,d,e,::1" },
      `IPs contains "a", "b", "c" and 2 more, ${ADDRESS}`,
    ],
    ["remoteAddress", { IPs: "10.0.0.1,::/129 " }, `IPs contains "::/129 ", ${ADDRESS}`],
    ["remoteAddress", { IPs: "10.0.0.1\n" }, `IPs contains "10.0.0.1\\n", ${ADDRESS}`],
    ["remoteAddress", { IPs: "10.0.0.1," }, `IPs contains "", ${ADDRESS}`],
    [
      "applicationHostname",
      { hostNames: "web-1,,web 2" },
      `hostNames contains "", "web 2", ${HOST}`,
    ],
    ["userWithId", { userIds: "1, 2,3\n" }, `userIds contains "3\\n", ${USER}`],
    [
      "flexibleRollout",
      { rollout: 150 },
      "rollout is 150, which counts as 100%: it must be a number from 1 to 100, or 0",
    ],
    [
      "flexibleRollout",
      { rollout: "-5" },
      'rollout is "-5", which counts as 0%: it must be a number from 1 to 100, or 0',
    ],
    [
      "flexibleRollout",
      { rollout: "0.5" },
      'rollout is "0.5", which counts as 0%: it must be a number from 1 to 100, or 0',
    ],
    [
      "flexibleRollout",
      { rollout: "" },
      'rollout is "", which counts as 0%: it must be a number from 1 to 100, or 0',
    ],
    [
      "gradualRolloutUserId",
      { percentage: true },
      "percentage is true, which counts as 1%: it must be a number from 1 to 100, or 0",
    ],
    [
      "gradualRolloutRandom",
      { percentage: "half" },
      "percentage must be a number: the strategy never matches",
    ],
  ])("the strategy %s with the parameters %j has a problem", (name, parameters, message) => {
    expect(problemsOf({ name, parameters })).toEqual([message]);
  });

  test.each([
    ["default", {}],
    ["remoteAddress", { IPs: "10.0.0.1, 10.0.0.0/8,\t::1,fe80::1%eth0,2001:db8::/32" }],
    ["remoteAddress", { IPs: "" }],
    ["remoteAddress", {}],
    ["applicationHostname", { hostNames: "web-1, WEB-2" }],
    ["userWithId", { userIds: "1, John Smith ,x y" }],
    ["flexibleRollout", { rollout: "33.3" }],
    ["flexibleRollout", { rollout: 0 }],
    ["flexibleRollout", { rollout: " 100 " }],
  ])("the strategy %s with the parameters %j has none", (name, parameters) => {
    expect(problemsOf({ name, parameters })).toEqual([]);
  });

  test("a custom strategy with the name of a built-in one has other parameters", () => {
    const strategies = [{ name: "remoteAddress", parameters: { IPs: "office" } }];
    const isEnabled = (): boolean => true;
    const { diagnostics } = snapshotOf(
      { features: [{ name: "flag", enabled: true, strategies }] },
      { strategies: [{ name: "remoteAddress", isEnabled }] },
    );
    expect(diagnostics).toEqual([]);
  });

  test("addresses of constraints are reported too, in segments for each flag", () => {
    const constraints = [
      { contextName: "ip", operator: "IN_CIDR", values: ["10.0.0.0/99", "::1"] },
    ];
    const message = `The list of IN_CIDR contains "10.0.0.0/99", ${ADDRESS}`;
    expect(problemsOf({ name: "default", constraints })).toEqual([message]);
    const inSegment = { name: "default", segments: [1] };
    expect(problemsOf(inSegment, [{ id: 1, constraints }])).toEqual([message]);
  });

  test("an explanation names the address, not the entries that no address matches", () => {
    const IPs = "999.1.1.1,2001:db8::/32";
    const strategies = [{ name: "remoteAddress", parameters: { IPs } }];
    const snapshot = snapshotOf({ features: [{ name: "flag", enabled: true, strategies }] });
    const explainFor = (remoteAddress: string): string | undefined =>
      explain(snapshot, "flag", { remoteAddress })?.explanation;
    expect(explainFor("2001:db8::1")).toBe(
      'The flag is on because remoteAddress is "2001:db8::1".',
    );
    expect(explainFor("2001:db9::1")).toBe(
      'The flag is off because remoteAddress is "2001:db9::1", which is not "999.1.1.1" or "2001:db8::/32".',
    );
  });
});
