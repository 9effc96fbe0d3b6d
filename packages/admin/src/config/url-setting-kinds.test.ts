import { InvalidValue } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import {
  databaseUrlKind,
  frontendUrlKind,
  publicUrlKind,
  secretsInDatabaseUrl,
  showDatabaseUrl,
} from "./url-setting-kinds.ts";

test.each([
  ["https://flags.example.com", "https://flags.example.com/"],
  ["https://example.com/flags", "https://example.com/flags/"],
  ["http://127.0.0.1:4242//", "http://127.0.0.1:4242/"],
])("publicUrlKind adds a slash to %s", (text, url) => {
  expect(publicUrlKind.parse(text)).toBe(url);
});

test("frontendUrlKind removes slashes at the end", () => {
  const address = "https://proxy.example.com/proxy";
  expect(frontendUrlKind.parse(`${address}//`)).toBe(address);
  expect(frontendUrlKind.parse("https://key@proxy.example.com")).toBeInstanceOf(InvalidValue);
});

test.each([
  "flags.example.com",
  "ftp://example.com",
  "https://",
  "https://user@example.com",
  "https://example.com/?a",
  "https://example.com/#a",
])("publicUrlKind rejects %s", (text) => {
  expect(publicUrlKind.parse(text)).toBeInstanceOf(InvalidValue);
});

test.each([
  "postgres://flags:secret@db.test:5432/flags",
  "postgresql://db.test/flags?sslmode=require",
  "postgres://flags:p%40ss@[::1]/flags",
  "postgres:///flags?host=/var/run/postgresql",
  "POSTGRES://db.test",
])("databaseUrlKind accepts %s", (address) => {
  expect(databaseUrlKind.parse(address)).toBe(address);
});

test.each([
  "mysql://db.test/flags",
  "db.test/flags",
  "postgres://db.test/a b",
  "postgres://user:pa/ss@db.test:99999999/flags",
  "postgres://flags:100%@db.test/flags",
])("databaseUrlKind rejects %s", (address) => {
  expect(databaseUrlKind.parse(address)).toBeInstanceOf(InvalidValue);
});

test.each([
  "postgres://flags:secret@one.test:5432,two.test:5432/flags",
  "postgres://flags:secret@one.test,two.test/flags?target_session_attrs=read-write",
  "postgres://one.test,two.test",
])("databaseUrlKind explains that %s has several hosts", (address) => {
  const found = databaseUrlKind.parse(address);
  expect(found instanceof InvalidValue && found.detail).toMatch(/^it names several hosts: /);
});

test("databaseUrlKind accepts a comma in a password", () => {
  const address = "postgres://flags:a,b@db.test/flags";
  expect(databaseUrlKind.parse(address)).toBe(address);
});

test("secretsInDatabaseUrl() returns all passwords, encoded and decoded", () => {
  const address = "postgres://flags:p%40ss@db.test/flags?password=other&sslpassword=third";
  expect(secretsInDatabaseUrl(address)).toEqual(["p%40ss", "p@ss", "other", "third"]);
});

test.each([
  ["postgres://flags:secret@db.test:5432/flags?password=other", "db.test:5432/flags"],
  ["postgres:///flags", "this machine/flags"],
])("showDatabaseUrl() shows only the host and path of %s", (address, shown) => {
  expect(showDatabaseUrl(address)).toBe(shown);
});
