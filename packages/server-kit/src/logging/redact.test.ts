import { describe, expect, test } from "vitest";
import { createRedact } from "./redact.ts";

const HEX = "0123456789abcdef".repeat(3) + "01234567";
const V2 = `v2_${"aB3-_".repeat(4)}xy_${"Zz9_-".repeat(8)}abc`;

const redact = createRedact([]);

describe("createRedact() without configured secrets", () => {
  test.each([
    [`default:development.${HEX}`, "default:development.[redacted]"],
    [`my-shop_2:prod.eu.${HEX}`, "my-shop_2:prod.eu.[redacted]"],
    ["default:development.unleash-insecure-api-token", "default:development.[redacted]"],
    [`*:production.${HEX}`, "*:production.[redacted]"],
    ["*:*.s", "*:*.[redacted]"],
    [`[]:production.${HEX}`, "[]:production.[redacted]"],
    [`default:development.${V2}`, "default:development.[redacted]"],
    [`*:*.${V2}`, "*:*.[redacted]"],
    [V2, "[redacted]"],
    [`user:${V2}`, "user:[redacted]"],
    [`user:${HEX}`, "user:[redacted]"],
    [`default%3Adevelopment.${HEX}`, "default%3Adevelopment.[redacted]"],
    ["%2A%3A%2A.s3cret", "%2A%3A%2A.[redacted]"],
    ["%2a%3adevelopment.s3cret", "%2a%3adevelopment.[redacted]"],
    ["%5B%5D%3Aproduction.secrets", "%5B%5D%3Aproduction.[redacted]"],
  ])("removes the secret of %s", (token, expected) => {
    expect(redact(token)).toBe(expected);
    expect(redact(`Key "${token}" is wrong.`)).toBe(`Key "${expected}" is wrong.`);
    expect(redact(`Bearer ${token}. And ${token}, twice`)).toBe(
      `Bearer ${expected}. And ${expected}, twice`,
    );
  });

  test("removes secrets from errors, causes, lists, objects and their keys", () => {
    const error = new Error(`bad *:*.${HEX}`, { cause: new Error(`default:dev.${HEX}`) });
    const redacted = redact({ [`a:b.${HEX}`]: [error, { deep: `x:y.${HEX}` }] });
    expect(JSON.stringify(redacted)).not.toContain(HEX);
    const [copy] = (redacted as Record<string, [Error, object]>)["a:b.[redacted]"] ?? [];
    expect(copy?.message).toBe("bad *:*.[redacted]");
    expect(copy?.stack).not.toContain(HEX);
    expect(copy?.cause).toMatchObject({ message: "default:dev.[redacted]" });
  });

  test("copies the errors of the platform, whose getters work only on the original", () => {
    const error = new DOMException(`The request to x:y.${HEX} timed out`, "TimeoutError");
    const copy = redact(error) as Error & { readonly code?: unknown };
    expect(copy).toBeInstanceOf(Error);
    expect([copy.name, copy.message, copy.code]).toEqual([
      "TimeoutError",
      "The request to x:y.[redacted] timed out",
      undefined,
    ]);
  });

  test.each([
    "2026-01-31T21:46:06.123456Z and 21:46:06.123",
    "http://localhost:4242/api/client/features responded 401",
    "Listens on http://127.0.0.1:3000/proxy, [::1]:3000 and fe80::1.",
    "at Object.<anonymous> (file:///srv/node_modules/some.package-name/index.js:10:5)",
    "at process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
    "altnames: DNS:*.example.com, DNS:flags.a-very-long-company-name.example.com",
    "host.docker.internal:3000. The rest",
    'Strategy "custom" of flag "checkout.a-very-long-flag-name" failed: no luck',
    "user: none, user:short",
    "must have the form `*:*.secret`",
  ])("does not change %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  test.each(["a".repeat(2_000_000), "a.".repeat(1_000_000), "a:".repeat(1_000_000)])(
    "takes linear time for a long text (%#)",
    (text) => {
      expect(redact(text)).toBe(text);
      expect(redact(`x:y.${text}`)).toContain("x:y.");
    },
  );
});

test("createRedact() removes all of a configured secret", () => {
  const token = `default:development.${HEX}`;
  expect(createRedact([token, "other"])(`${token} other *:*.x`)).toBe(
    "[redacted] [redacted] *:*.[redacted]",
  );
});

test("createRedact() removes configured secrets of three characters and more", () => {
  const redactShort = createRedact(["", "a", "of", "abc", "random"]);
  expect(redactShort("use a longer one of abc1, abc and randomly")).toBe(
    "use a longer one of abc1, [redacted] and [redacted]ly",
  );
});
