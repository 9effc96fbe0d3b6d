import negotiate from "@fastify/accept-negotiator";
import { expect, test, vi } from "vitest";
import { CodingChoice } from "./compression.ts";

vi.mock(import("@fastify/accept-negotiator"), { spy: true });

test("CodingChoice caches the headers of other clients even if one client sends invented values", () => {
  const choice = new CodingChoice();
  for (let index = 0; index < 1000; index++) choice.for(`x${index}`);
  vi.mocked(negotiate).mockClear();
  for (let i = 0; i < 10; i++) {
    expect(choice.for("br, gzip")).toBe("br");
    expect(choice.for("identity")).toBeUndefined();
  }
  expect(negotiate).toHaveBeenCalledTimes(2);
});
