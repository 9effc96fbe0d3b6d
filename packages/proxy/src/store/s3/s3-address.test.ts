import { expect, test } from "vitest";
import { parseS3Address } from "./s3-address.ts";

const BUCKET = { bucket: "flags-bucket", prefix: "", endpoint: undefined, region: undefined };

test.each([
  ["s3://flags-bucket?region=eu-north-1", { ...BUCKET, region: "eu-north-1", style: "virtual" }],
  [
    "s3://flags-bucket/team/a/?endpoint=http://127.0.0.1:9000",
    { ...BUCKET, prefix: "team/a", endpoint: "http://127.0.0.1:9000", style: "path" },
  ],
  [
    "s3://flags.example/?region=eu-north-1&endpoint=https://s3.example/&style=virtual",
    {
      bucket: "flags.example",
      prefix: "",
      endpoint: "https://s3.example",
      region: "eu-north-1",
      style: "virtual",
    },
  ],
])("parseS3Address() parses %s", (text, expected) => {
  expect(parseS3Address(text)).toEqual(expected);
});
