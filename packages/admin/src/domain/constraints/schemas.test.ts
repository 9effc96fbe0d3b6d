import { OPERATOR_NAMES } from "flags-engine";
import { expect, test } from "vitest";
import { LIST_OPERATORS, VALUE_OPERATORS } from "./schemas.ts";

test("constraints can have every operator that the engine evaluates, and no other", () => {
  expect([...LIST_OPERATORS, ...VALUE_OPERATORS].toSorted()).toEqual(OPERATOR_NAMES.toSorted());
});
