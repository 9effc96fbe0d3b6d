import { expect, test } from "vitest";
import { parseAllowList } from "./allow-list.ts";
import { findTarget, RefusedTargetError, type Resolve } from "./find-target.ts";

const NOBODY = parseAllowList([]);

const resolveTo =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

test.each([
  "http://127.0.0.1/",
  "http://0x7f.1/",
  "http://2130706433/",
  "http://017700000001/",
  "http://127.1/",
  "http://0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[0:0:0:0:0:ffff:169.254.169.254]/",
  "http://169.254.169.254/latest/meta-data",
  "http://%31%32%37.0.0.1/",
  "http://１２７.0.0.1/",
])("nothing is sent to %s", async (url) => {
  await expect(findTarget(url, NOBODY)).rejects.toThrow(RefusedTargetError);
});

test.each(["ftp://example.com", "file:///etc/passwd", "javascript:1", "example.com", ""])(
  "%j is not an address",
  async (url) => {
    await expect(findTarget(url, NOBODY)).rejects.toThrow("must be an address that begins with");
  },
);

test.each(["http://user:password@example.com/", "http://user@example.com/"])(
  "%s must not contain credentials",
  async (url) => {
    await expect(findTarget(url, NOBODY)).rejects.toThrow("must not contain a user name");
  },
);

test("a host is refused if any of its addresses is not public", async () => {
  const url = "https://receiver.example/secret-path";
  const target = await findTarget(url, NOBODY, resolveTo("8.8.8.8", "2606:4700::1"));
  expect(target.addresses).toHaveLength(2);
  for (const address of ["10.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const refused = await findTarget(url, NOBODY, resolveTo("8.8.8.8", address)).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(RefusedTargetError);
    expect(String(refused)).not.toContain("secret-path");
  }
});

test("the message names the setting that allows a host, unless it is never allowed", async () => {
  await expect(findTarget("http://a.internal", NOBODY, resolveTo("10.0.0.1"))).rejects.toThrow(
    "add it to WEBHOOK_ALLOW_LIST",
  );
  await expect(
    findTarget("http://a.internal", parseAllowList(["a.internal"]), resolveTo("169.254.169.254")),
  ).rejects.toThrow("never allowed");
});
