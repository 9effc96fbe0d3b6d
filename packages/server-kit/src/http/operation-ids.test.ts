import { expect, test } from "vitest";
import { addOperationIds } from "./operation-ids.ts";

function idsOf({ paths }: ReturnType<typeof addOperationIds>): readonly unknown[] {
  return Object.values(paths ?? {}).flatMap((methods: object) =>
    Object.values(methods).map(({ operationId }: { operationId?: string }) => operationId),
  );
}

test("addOperationIds() makes ids from method and path", () => {
  const paths = {
    "/flags": { get: {}, post: {} },
    "/flags/{name}": { get: {} },
    "/internal-backstage/prometheus": { get: {} },
  };
  expect(idsOf(addOperationIds({ paths }, ""))).toEqual([
    "getFlags",
    "postFlags",
    "getFlagsByName",
    "getInternalBackstagePrometheus",
  ]);
});

test("addOperationIds() leaves the base path out", () => {
  const paths = { "/base/path/flags": { get: {} } };
  expect(idsOf(addOperationIds({ paths }, "/base/path"))).toEqual(["getFlags"]);
});

test("addOperationIds() keeps ids that are set, and the rest of an operation", () => {
  const paths = { "/flags": { get: { operationId: "listFlags", summary: "All flags" } } };
  expect(addOperationIds({ paths }, "")).toEqual({ paths });
});

test("addOperationIds() throws when two operations have the same id", () => {
  const paths = { "/flags/all": { get: {} }, "/flags-all": { get: {} } };
  expect(() => addOperationIds({ paths }, "")).toThrow(
    'Two operations have the id "getFlagsAll": give one its own',
  );
});
