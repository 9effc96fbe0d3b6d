import { describe, expect, it } from "vitest";
import { toVariant } from "./variant.ts";

const payload = { type: "string", value: "x" };
const on = { enabled: true, variant: undefined, reason: "STATIC" } as const;
const flags = (enabled: boolean): object => ({ featureEnabled: enabled, feature_enabled: enabled });

describe("toVariant()", () => {
  it("returns the selected variant", () => {
    expect(toVariant({ ...on, variant: { name: "red", payload } })).toEqual({
      name: "red",
      enabled: true,
      payload,
      ...flags(true),
    });
  });

  it("returns no payload if the variant has none", () => {
    expect(toVariant({ ...on, variant: { name: "red" } })).not.toHaveProperty("payload");
  });

  it("returns a disabled variant if the outcome has none, and whether the flag is on", () => {
    expect(toVariant(on)).toEqual({ name: "disabled", enabled: false, ...flags(true) });
    expect(toVariant(undefined)).toEqual({ name: "disabled", enabled: false, ...flags(false) });
  });

  it("returns a copy of the fallback if there is no variant", () => {
    const fallback = { name: "mine", enabled: true, payload };
    expect(toVariant({ ...on, enabled: false }, fallback)).toEqual({
      ...fallback,
      ...flags(false),
    });
    expect(fallback).not.toHaveProperty("featureEnabled");
  });
});
