import { expect, test } from "vitest";
import { createSecret, signatureHeaders } from "./signature.ts";

test("signatureHeaders() signs like the example of Standard Webhooks", () => {
  const headers = signatureHeaders(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    at: new Date(1_614_265_330_999),
    body: '{"test": 2432232314}',
  });
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("signatureHeaders() signs with each secret", () => {
  const secrets = [createSecret(), createSecret()];
  const signed = { id: "msg_1", at: new Date(0), body: "{}" };
  const signatureOf = (...with_: readonly string[]): string =>
    signatureHeaders(with_, signed)["webhook-signature"] ?? "";
  expect(signatureOf(...secrets)).toBe(secrets.map((secret) => signatureOf(secret)).join(" "));
});

test("createSecret() returns 32 random bytes", () => {
  const secret = createSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(createSecret()).not.toBe(secret);
});
