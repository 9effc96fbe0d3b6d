import { expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Rules {
  readonly enabled: boolean;
  readonly strategies: readonly Readonly<Record<string, unknown>>[];
  readonly variants: readonly unknown[];
}

const variant = { name: "red", weight: 1000, weightType: "variable", stickiness: "default" };
const QUARTER = {
  name: "flexibleRollout",
  title: "Pilot",
  parameters: { rollout: "25", stickiness: "userId", groupId: "f" },
  constraints: [{ contextName: "country", operator: "IN", values: ["DE"] }],
  variants: [variant],
};

describeAnyStorage("the rules of a flag in an environment", (source) => {
  const admin = useAdmin(source);
  const flagPath = (flag: string) => `/projects/default/features/${flag}`;
  const pathIn = (flag: string, environment: string) =>
    `${flagPath(flag)}/environments/${environment}/rules`;
  const createFlag = (name: string) =>
    admin.must(201, "POST", "/projects/default/features", { name });
  const read = async (flag: string, environment = "production") =>
    admin.must<Rules>(200, "GET", pathIn(flag, environment));
  const typesOf = async (work: () => Promise<unknown>) =>
    (await admin.eventsOf(work)).map(({ type }) => type);

  test("are replaced as a whole, and can be copied from another environment", async () => {
    await createFlag("copied");
    const { body: empty } = await read("copied");
    expect(empty).toEqual({ enabled: false, strategies: [], variants: [] });
    const { body: first } = await admin.must<Rules>(200, "PUT", pathIn("copied", "development"), {
      strategies: [QUARTER, { name: "default", disabled: true }],
      variants: [variant],
      enabled: true,
    });
    expect(first).toMatchObject({
      enabled: true,
      strategies: [
        { title: "Pilot", sortOrder: 0, parameters: QUARTER.parameters },
        { name: "default", disabled: true, sortOrder: 1 },
      ],
      variants: [variant],
    });

    await admin.must(200, "PUT", pathIn("copied", "production"), {
      strategies: [{ name: "default" }],
    });
    const types = await typesOf(() =>
      // The body of a response is accepted too.
      admin.must(200, "PUT", pathIn("copied", "production"), first),
    );
    const { body: copy } = await read("copied");
    const withoutIds = ({ strategies, ...rules }: Rules) => ({
      ...rules,
      strategies: strategies.map(({ id: _id, ...strategy }) => strategy),
    });
    expect(withoutIds(copy)).toEqual(withoutIds(first));
    expect((await read("copied", "development")).body).toEqual(first);
    expect(types).toEqual([
      "feature-strategy-remove",
      "feature-strategy-add",
      "feature-strategy-add",
      "feature-environment-variants-updated",
      "feature-environment-enabled",
    ]);
  });

  test("that stay the same are not recorded as changes", async () => {
    await createFlag("same");
    const { body } = await admin.must<Rules>(200, "PUT", pathIn("same", "production"), {
      strategies: [QUARTER],
      variants: [variant],
      enabled: true,
    });
    const repeat = () => admin.must(200, "PUT", pathIn("same", "production"), body);
    expect(await typesOf(repeat)).toEqual([]);
    expect((await read("same")).body).toEqual(body);
  });

  test("without an enabled strategy turn the flag off, unless the body turns it on", async () => {
    await createFlag("switched");
    const path = pathIn("switched", "production");
    await admin.must(200, "PUT", path, { strategies: [QUARTER], enabled: true });
    const { body: off } = await admin.must<Rules>(200, "PUT", path, { strategies: [] });
    expect(off).toMatchObject({ enabled: false, strategies: [] });
    const { body: on } = await admin.must<Rules>(200, "PUT", path, {
      strategies: [],
      enabled: true,
    });
    expect(on).toMatchObject({ enabled: true, strategies: [{ parameters: { rollout: "100" } }] });
  });

  test("do not change at all if one of them is invalid", async () => {
    await createFlag("invalid");
    const path = pathIn("invalid", "production");
    const { body: before } = await admin.must<Rules>(200, "PUT", path, { strategies: [QUARTER] });
    const percentage = { ...QUARTER, parameters: { rollout: "101" } };
    const bad = { status: 400, name: "BadDataError" };
    await admin.refuse({ ...bad, path: "/body/strategies/1/parameters/rollout" }, "PUT", path, {
      strategies: [{ name: "default" }, percentage],
    });
    const twice = { ...variant, weight: 500 };
    await admin.refuse({ ...bad, path: "/body/variants/1/name" }, "PUT", path, {
      strategies: [],
      variants: [twice, twice],
    });
    await admin.refuse({ status: 400, name: "ExceedsLimitError" }, "PUT", path, {
      strategies: Array.from({ length: 31 }, () => ({ name: "default" })),
    });
    expect((await read("invalid")).body).toEqual(before);
  });

  test("are not overwritten if somebody else has changed them", async () => {
    await createFlag("contended");
    const path = pathIn("contended", "production");
    const { headers } = await read("contended");
    const etag = headers.get("etag") ?? "";
    await admin.must(200, "POST", `${flagPath("contended")}/environments/production/on`);
    const conflict = { status: 412, name: "PreconditionFailedError", path: "/headers/if-match" };
    await admin.refuse(
      conflict,
      "PUT",
      path,
      { strategies: [] },
      { headers: { "if-match": etag } },
    );
    const current = (await read("contended")).headers.get("etag") ?? "";
    const headersNow = { "if-match": current };
    const body = { strategies: [QUARTER] };
    const saved = await admin.call("PUT", path, body, { headers: headersNow });
    expect(saved.status).toBe(200);
  });

  test("of a flag or environment that does not exist are a 404", async () => {
    await createFlag("elsewhere");
    await admin.must(404, "GET", pathIn("elsewhere", "nowhere"));
    await admin.must(404, "PUT", pathIn("no-such-flag", "production"), { strategies: [] });
  });
});
