import { InvalidValue } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { allowListKind, findRefusal, parseAllowList } from "./allow-list.ts";

const NOBODY = parseAllowList([]);
const EVERYBODY = parseAllowList(["0.0.0.0/0", "::/0", "receiver.example"]);

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::7f00:1",
  "2001:db8::1",
  "2001::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd12:3456::1",
  "fec0::1",
  "ff02::1",
  "4000::1",
])("%s is not public, but can be allowed", (address) => {
  expect(findRefusal(address, "receiver.example", NOBODY)).toBe("private");
  expect(findRefusal(address, "receiver.example", EVERYBODY)).toBeUndefined();
});

test.each([
  "169.254.169.254",
  "169.254.170.2",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fe80::1",
  "fe80::1%eth0",
  "fd00:ec2::254",
  "fd20:ce::254",
])("%s is never allowed", (address) => {
  expect(findRefusal(address, "receiver.example", NOBODY)).toBe("metadata");
  expect(findRefusal(address, "receiver.example", EVERYBODY)).toBe("metadata");
});

test.each(["8.8.8.8", "172.32.0.1", "2001:4860:4860::8888", "2606:4700::1"])(
  "%s is public",
  (address) => {
    expect(findRefusal(address, "receiver.example", NOBODY)).toBeUndefined();
  },
);

test("an allowed address, range or host is not another one", () => {
  const allowed = parseAllowList(["10.0.0.1", "fd00:1::/32", "Hooks.Internal"]);
  expect(findRefusal("10.0.0.1", "a", allowed)).toBeUndefined();
  expect(findRefusal("10.0.0.2", "a", allowed)).toBe("private");
  expect(findRefusal("fd00:1::5", "a", allowed)).toBeUndefined();
  expect(findRefusal("fd00:2::5", "a", allowed)).toBe("private");
  expect(findRefusal("192.168.1.1", "hooks.internal", allowed)).toBeUndefined();
  expect(findRefusal("192.168.1.1", "other.internal", allowed)).toBe("private");
});

test.each(["::FFFF:10.0.0.1", "::ffff:a00:1", "::ffff:10.0.0.0/127"])(
  "addresses are compared by value with %s",
  (entry) => {
    const allowed = parseAllowList([entry]);
    for (const address of ["10.0.0.1", "::ffff:10.0.0.1", "::FFFF:A00:1"]) {
      expect(findRefusal(address, "a", allowed)).toBeUndefined();
    }
    expect(findRefusal("10.0.0.2", "a", allowed)).toBe("private");
  },
);

test.each(["hooks.internal", "localhost", "10.0.0.0/8", "::1", "fd00::/8", "a_b.internal"])(
  "the setting accepts %s",
  (entry) => {
    expect(allowListKind.parse(entry)).toEqual([entry]);
  },
);

test.each(["http://a", "a:80", "10.0.0.0/33", "10.0.0", "300.0.0.1", "a b", "*.internal", "10/8"])(
  "the setting rejects %s",
  (entry) => {
    expect(allowListKind.parse(entry)).toBeInstanceOf(InvalidValue);
  },
);
