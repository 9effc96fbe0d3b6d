import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

const FIELDS = "/projects/shop/context";
const STRATEGY = (contextName: string) => ({
  name: "default",
  constraints: [{ contextName, operator: "IN", values: ["a"] }],
});

describeAnyStorage("context fields of a project", (source) => {
  const admin = useAdmin(source);

  const namesIn = async (path: string): Promise<readonly string[]> => {
    const { body } = await admin.must<{ name: string }[]>(200, "GET", path);
    return body.map(({ name }) => name);
  };
  const strategiesOf = (project: string) =>
    `/projects/${project}/features/${project}-flag/environments/development/strategies`;

  beforeAll(async () => {
    for (const id of ["shop", "blog"]) {
      await admin.must(201, "POST", "/projects", { id, name: id });
      await admin.must(201, "POST", `/projects/${id}/features`, { name: `${id}-flag` });
    }
  });

  test("POST creates a field that appears only in the lists for the project", async () => {
    const events = await admin.eventsOf(async () => {
      const { body } = await admin.must(201, "POST", FIELDS, {
        name: "cart",
        legalValues: [{ value: "a" }],
      });
      expect(body).toMatchObject({ name: "cart", project: "shop" });
    });
    expect(events).toEqual([
      expect.objectContaining({ type: "context-field-created", project: "shop" }),
    ]);
    expect(await namesIn(FIELDS)).toEqual(["cart"]);
    expect(await namesIn(`${FIELDS}?include=root`)).toEqual(
      expect.arrayContaining(["cart", "userId"]),
    );
    expect(await namesIn("/projects/blog/context")).toEqual([]);
    expect(await namesIn("/context")).not.toContain("cart");
    expect(await namesIn("/context?include=project")).toContain("cart");
  });

  test("the field can be used in its project only", async () => {
    await admin.must(200, "POST", strategiesOf("shop"), STRATEGY("cart"));
    const foreign = { status: 400, name: "BadDataError", path: "/body/constraints/0/contextName" };
    await admin.refuse(foreign, "POST", strategiesOf("blog"), STRATEGY("cart"));
    const segment = { name: "carts", constraints: STRATEGY("cart").constraints };
    await admin.refuse(foreign, "POST", "/segments", segment);
    await admin.refuse(foreign, "POST", "/segments", { ...segment, project: "blog" });
    await admin.must(201, "POST", "/segments", { ...segment, project: "shop" });
    const { body } = await admin.must(200, "GET", `${FIELDS}/cart/strategies`);
    expect(body).toMatchObject({ strategies: [{ featureName: "shop-flag" }] });
  });

  test("GET and PUT work with the same body, with and without If-Match", async () => {
    const { body, headers } = await admin.must<object>(200, "GET", `${FIELDS}/cart`);
    expect(body).toMatchObject({ name: "cart", project: "shop", legalValues: [{ value: "a" }] });
    const put = () =>
      admin.call("PUT", `${FIELDS}/cart`, body, {
        headers: { "if-match": headers.get("etag") ?? "" },
      });
    expect(await admin.eventsOf(put)).toEqual([]);
    await admin.must(200, "PUT", `${FIELDS}/cart`, { description: "Changed" });
    expect((await put()).status).toBe(412);
  });

  test("legal values can also be changed below the project", async () => {
    await admin.must(200, "POST", `${FIELDS}/cart/legal-values`, { value: "b" });
    await admin.must(200, "DELETE", `${FIELDS}/cart/legal-values/b`);
    const { body } = await admin.must(200, "GET", `${FIELDS}/cart`);
    expect(body).toMatchObject({ legalValues: [{ value: "a" }] });
  });

  test("fields of other projects are a 404, and other projects in a body are refused", async () => {
    const unknown = { status: 404, name: "NotFoundError" };
    for (const path of ["/projects/blog/context/cart", `${FIELDS}/userId`]) {
      await admin.refuse(unknown, "GET", path);
      await admin.refuse(unknown, "GET", `${path}/strategies`);
      await admin.refuse(unknown, "PUT", path, {});
      await admin.refuse(unknown, "DELETE", path);
      await admin.refuse(unknown, "POST", `${path}/legal-values`, { value: "x" });
      await admin.refuse(unknown, "DELETE", `${path}/legal-values/x`);
    }
    await admin.refuse(unknown, "GET", "/projects/none/context");
    await admin.refuse(unknown, "POST", "/projects/none/context", { name: "x" });
    await admin.refuse(unknown, "POST", "/projects/none/context/validate", { name: "x" });
    await admin.refuse(unknown, "GET", "/projects/none/context/cart/strategies");
    const elsewhere = { status: 400, name: "BadDataError", path: "/body/project" };
    await admin.refuse(elsewhere, "POST", FIELDS, { name: "x", project: "blog" });
    await admin.refuse(elsewhere, "PUT", `${FIELDS}/cart`, { project: "blog" });
    await admin.refuse(elsewhere, "POST", "/context", { name: "x", project: "none" });
    const taken = { status: 409, name: "NameExistsError" };
    await admin.refuse(taken, "POST", "/projects/blog/context", { name: "cart" });
    await admin.refuse(taken, "POST", "/projects/blog/context/validate", { name: "cart" });
  });

  test("a field can be limited to a project unless something else uses it", async () => {
    await admin.must(201, "POST", "/context", { name: "reader" });
    await admin.must(200, "POST", strategiesOf("blog"), STRATEGY("reader"));
    const conflict = { status: 409, name: "ConflictError" };
    await admin.refuse(conflict, "PUT", "/context/reader", { project: "shop" });
    await admin.must(200, "PUT", "/context/reader", { project: "blog" });
    expect(await namesIn("/projects/blog/context")).toEqual(["reader"]);
    await admin.must(200, "PUT", "/context/reader", { project: null });
    expect(await namesIn("/context")).toContain("reader");
  });

  test("export and import keep the limit", async () => {
    const { body } = await admin.must<{ contextFields: object[] }>(
      200,
      "GET",
      "/projects/shop/export",
    );
    expect(body.contextFields).toContainEqual(
      expect.objectContaining({ name: "cart", isShared: false }),
    );
    const contextFields = [{ name: "page", isShared: false }];
    await admin.must(200, "POST", "/projects/blog/import", {
      version: 1,
      contextFields,
      features: [],
    });
    expect(await namesIn("/projects/blog/context")).toEqual(["page"]);
  });

  test("an import cannot limit a field that something else uses", async () => {
    await admin.must(200, "POST", strategiesOf("blog"), STRATEGY("unlisted"));
    await admin.must(201, "POST", "/segments", { ...STRATEGY("unnamed"), name: "readers" });
    for (const name of ["unlisted", "unnamed"]) {
      await admin.refuse(
        { status: 409, name: "ConflictError", path: "/body/contextFields/1" },
        "POST",
        "/projects/shop/import",
        {
          version: 1,
          contextFields: ["free", name].map((each) => ({ name: each, isShared: false })),
          features: [],
        },
      );
    }
    expect(await namesIn(FIELDS)).toEqual(["cart"]);
  });

  test("deleting the project deletes its fields", async () => {
    await admin.must(201, "POST", "/projects", { id: "gone", name: "Gone" });
    await admin.must(201, "POST", "/projects/gone/context", { name: "temporary" });
    await admin.storage.db.execute(sql`delete from projects where id = 'gone'`);
    await admin.refuse({ status: 404, name: "NotFoundError" }, "GET", "/context/temporary");
  });

  test("a used field cannot be deleted, another one can", async () => {
    await admin.refuse({ status: 409, name: "ConflictError" }, "DELETE", `${FIELDS}/cart`);
    await admin.must(201, "POST", FIELDS, { name: "unused" });
    await admin.must(200, "DELETE", `${FIELDS}/unused`);
    expect(await namesIn(FIELDS)).toEqual(["cart"]);
    expect(admin.errors).toEqual([]);
  });
});
