import { describe, expect, test } from "vitest";
import { CheckCache } from "./check-cache.ts";

describe("CheckCache.isPattern()", () => {
  test.each([
    "^[a-z0-9.]{1,64}@example\\.com$",
    "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    "(?i)ab\\(c|d{2,}|[{}()]{3}",
    "^\\p{Lu}[\\p{L}\\p{M}' -]*[\\x{4e00}-\\x{9fff}]{2}$",
    "[\u{1f600}-\u{1f64f}\\x{1f680}-\\x{1f6ff}]".repeat(5),
    "\\Q[(a{999}\\E|[^]\\x{80}-\\x{10ffff}]",
    Array.from({ length: 80 }, (_, index) => `customer-${index}`).join("|"),
  ])("accepts %.40s", (text) => {
    expect(new CheckCache().isPattern(text)).toBe(true);
  });

  test.each([
    "(",
    "a(?=b)",
    "a.{1000}c",
    "((a{10}){10}){10}",
    ".{0,999}".repeat(100),
    `\\Q[\\E${".{0,999}".repeat(100)}]`,
    `(${"a".repeat(100)})(?i){900}`,
    `(${"a".repeat(100)})\\Q\\E{900}`,
    `(${"a".repeat(100)})*(?i){900}`,
    "((a{10}(?i){10}){10}b)",
    `(${".{0,999}".repeat(100)}){0}`,
    `[[:alpha:](]${"a".repeat(100)}){900}`,
    `(${"a".repeat(100)}[[:alpha:](]){900}`,
    `(${"a".repeat(100)}[](]){900}`,
    `[(-[:alpha:](${"a".repeat(100)}[)]){900}`,
    `(${"a".repeat(100)}[\\d-[:alpha:](]){900}`,
    `[${"\\".repeat(999)}`,
    "[".repeat(1000),
  ])("rejects %.40s", (text) => {
    expect(new CheckCache().isPattern(text)).toBe(false);
  });

  test.each([
    `(?i)[${"B-\u{1e000}".repeat(200)}]`,
    `(?i)${"[B-\u{1e000}]".repeat(150)}`,
    `(?i)[${"\\x{41}-\\x{1e000}".repeat(50)}]`,
    `(?i)[${"\\\\-\u{1e000}".repeat(150)}]`,
    `(?i)[${"\\PL".repeat(300)}]`,
    `(?i)[${"B-\u{1e000}".repeat(200)}`,
    `(?i)[${"B-\u{1e000}".repeat(200)}\\`,
    `(?i)[${"B-\u{1e000}".repeat(200)}\\x{}]`,
    "\\P{L}".repeat(150),
  ])("rejects %.40s, whose classes take a long time to compile", (text) => {
    expect(new CheckCache().isPattern(text)).toBe(false);
  });
});
