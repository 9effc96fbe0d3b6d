import type { HttpResponse } from "./http.ts";

/** What to do about error codes of S3. Each completes a sentence after a colon. */
const HINTS: Readonly<Record<string, string>> = {
  AccessDenied:
    "the credentials need the permissions s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket",
  AuthorizationHeaderMalformed: "check the region",
  ExpiredToken: "the credentials have expired",
  InvalidAccessKeyId: "check AWS_ACCESS_KEY_ID",
  InvalidToken: "check AWS_SESSION_TOKEN",
  NoSuchBucket: "create the bucket, or check its name and the endpoint",
  PermanentRedirect: "the bucket is in another region",
  RequestTimeTooSkewed: "the clock of this machine is wrong",
  SignatureDoesNotMatch: "check AWS_SECRET_ACCESS_KEY and the region",
};

/** Returns the code of an error response; undefined if it has none, as responses of gateways. */
export function readErrorCode({ body }: Pick<HttpResponse, "body">): string | undefined {
  return /<Code>(\w{1,64})<\/Code>/.exec(body.toString("utf8", 0, 4096))?.[1];
}

/** Converts a response that is not a success to an error. */
export function toS3Error(response: HttpResponse): Error {
  const code = readErrorCode(response);
  const region = response.headers["x-amz-bucket-region"];
  const hint =
    code === "PermanentRedirect" && typeof region === "string"
      ? `the bucket is in the region ${region}`
      : HINTS[code ?? ""];
  const cause = code === undefined ? "" : ` (${code})`;
  return new Error(
    `The server responded with ${response.status}${cause}${hint === undefined ? "" : `: ${hint}`}`,
  );
}
