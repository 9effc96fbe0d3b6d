import { expect, test } from "vitest";
import { toS3Error } from "./s3-store.ts";

const messageOf = (status: number, body: string, headers = {}): string =>
  toS3Error({ status, headers, body: Buffer.from(body) }).message;

test.each([
  [
    403,
    "<Error><Code>AccessDenied</Code></Error>",
    "The server responded with 403 (AccessDenied): the credentials need the permissions s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket",
  ],
  [503, "<Error><Code>SlowDown</Code></Error>", "The server responded with 503 (SlowDown)"],
  [502, "<html>Bad gateway</html>", "The server responded with 502"],
  [500, "", "The server responded with 500"],
])("toS3Error() explains %i %s", (status, body, message) => {
  expect(messageOf(status, body)).toBe(message);
});

test("toS3Error() names the region of a bucket that is in another region", () => {
  const body = "<Error><Code>PermanentRedirect</Code></Error>";
  expect(messageOf(301, body, { "x-amz-bucket-region": "eu-north-1" })).toBe(
    "The server responded with 301 (PermanentRedirect): the bucket is in the region eu-north-1",
  );
});
