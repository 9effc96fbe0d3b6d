import { expect, test } from "vitest";
import { HttpError } from "../http/errors.ts";
import { StreamTokens } from "./stream-tokens.ts";

const SECRET = "only-the-server-knows";
const subscription = { context: { userId: "jane@shop.test", properties: { plan: "gold" } } };
const ticket = { clientId: "app", subscription };

function failureOf(action: () => unknown): HttpError {
  try {
    action();
  } catch (error) {
    if (error instanceof HttpError) return error;
  }
  throw new Error("No HttpError was thrown");
}

test("open() returns the content of a token, on any proxy with the same secret", () => {
  const { token, expiresAtMs } = new StreamTokens(SECRET, () => 1000).issue(ticket);
  expect(expiresAtMs).toBe(301_000);
  const replica = new StreamTokens(SECRET, () => 300_999);
  expect(replica.open(token)).toEqual(ticket);
});

test("a token reveals neither key nor context", () => {
  const tokens = new StreamTokens(SECRET);
  const { token } = tokens.issue(ticket);
  expect(token).toMatch(/^[\w-]+$/);
  const bytes = Buffer.from(token, "base64url").toString("latin1");
  for (const text of ["app", "jane", "gold", "only-the-server"]) expect(bytes).not.toContain(text);
});

test("open() rejects a token with any changed byte, and says how to get another one", () => {
  const tokens = new StreamTokens(SECRET);
  const bytes = Buffer.from(tokens.issue(ticket).token, "base64url");
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    const failure = failureOf(() => tokens.open(changed.toString("base64url")));
    expect(failure).toMatchObject({ statusCode: 401 });
    expect(failure.message).toContain("is missing or not valid: request a new URL");
  }
});

test.each(["", "A", "AAAAAAAA", "!", "é", "A".repeat(7000)])("open() rejects %.10j", (token) => {
  const failure = failureOf(() => new StreamTokens(SECRET).open(token));
  expect(failure).toMatchObject({ statusCode: 401 });
});

test("open() rejects a token that is truncated at any position", () => {
  const tokens = new StreamTokens(SECRET);
  const { token } = tokens.issue(ticket);
  for (let length = 0; length < token.length; length++) {
    expect(failureOf(() => tokens.open(token.slice(0, length))).statusCode).toBe(401);
  }
});

test("open() rejects an expired token", () => {
  let nowMs = 0;
  const tokens = new StreamTokens(SECRET, () => nowMs);
  const { token, expiresAtMs } = tokens.issue(ticket);
  nowMs = expiresAtMs - 1;
  expect(tokens.open(token)).toEqual(ticket);
  nowMs = expiresAtMs;
  const failure = failureOf(() => tokens.open(token));
  expect(failure).toMatchObject({ statusCode: 401 });
  expect(failure.message).toContain("has expired: request a new URL");
});

test("open() rejects a token of another secret", () => {
  const { token } = new StreamTokens(SECRET).issue(ticket);
  expect(failureOf(() => new StreamTokens("another").open(token)).statusCode).toBe(401);
});

test("issue() rejects a subscription that is too large for a URL, and says what to do", () => {
  const tokens = new StreamTokens(SECRET);
  const withNote = (length: number) => ({
    clientId: "web",
    subscription: { context: { properties: { note: "x".repeat(length) } } },
  });
  expect(tokens.issue(withNote(4000)).token.length).toBeLessThan(6000);
  const failure = failureOf(() => tokens.issue(withNote(5000)));
  expect(failure).toMatchObject({ statusCode: 413 });
  expect(failure.message).toContain("with `Accept: text/event-stream`");
});

test("issueStable() returns the same token for 12 hours, on every proxy with the same secret", () => {
  const hourMs = 60 * 60 * 1000;
  let nowMs = 0;
  const tokens = new StreamTokens(SECRET, () => nowMs);
  const replica = new StreamTokens(SECRET, () => nowMs);
  const token = tokens.issueStable(ticket) ?? "";
  nowMs = 12 * hourMs - 1;
  expect(replica.issueStable(ticket)).toBe(token);
  nowMs = 12 * hourMs;
  expect(tokens.issueStable(ticket)).not.toBe(token);
  nowMs = 24 * hourMs - 1;
  expect(replica.open(token)).toEqual(ticket);
  nowMs = 24 * hourMs;
  expect(failureOf(() => tokens.open(token)).message).toContain("has expired");
});

test("issueStable() distinguishes subscriptions and keys, and reveals neither", () => {
  const tokens = new StreamTokens(SECRET, () => 0);
  const token = tokens.issueStable(ticket) ?? "";
  const bytes = Buffer.from(token, "base64url").toString("latin1");
  for (const text of ["app", "jane", "gold", "only-the-server"]) expect(bytes).not.toContain(text);
  const others = [
    { clientId: "web", subscription },
    { clientId: "app", subscription: { ...subscription, kind: "refetch" as const } },
    { clientId: "app", subscription: { context: { userId: "joe@shop.test" } } },
  ].map((other) => tokens.issueStable(other));
  expect(new Set([token, ...others]).size).toBe(4);
  const large = { context: { userId: "x".repeat(5000) } };
  expect(tokens.issueStable({ clientId: "app", subscription: large })).toBeUndefined();
});
