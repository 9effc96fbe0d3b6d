import { S3ServiceException } from "@aws-sdk/client-s3";
import { describeCause, UNKNOWN_ISSUER_CODES } from "flags-sdk/neutral";
import { codeOf, isRecord } from "flags-server-kit/neutral";

const REGION = "set the region of the bucket with region in FLAGS_STORE, or with AWS_REGION";
const PERMISSIONS =
  "the credentials need the permissions s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket for the bucket in FLAGS_STORE";
const SESSION = "replace AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN";
const OVERLOADED = "the server is overloaded";

/** What to do about error codes of S3. Each completes a sentence after a colon. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["AccessDenied", PERMISSIONS],
  ["AllAccessDisabled", PERMISSIONS],
  ["AuthorizationHeaderMalformed", REGION],
  ["ExpiredToken", `the credentials have expired: ${SESSION}`],
  ["IllegalLocationConstraintException", REGION],
  ["InvalidAccessKeyId", "the server does not know the key: check AWS_ACCESS_KEY_ID"],
  ["InvalidBucketName", "correct the name of the bucket in FLAGS_STORE"],
  ["InvalidToken", `AWS_SESSION_TOKEN is not valid: ${SESSION}`],
  ["NoSuchBucket", "create the bucket, or correct its name or the endpoint in FLAGS_STORE"],
  ["PermanentRedirect", `the bucket is in another region: ${REGION}`],
  ["RequestTimeTooSkewed", "the clock of this machine is wrong: synchronize it"],
  ["ServiceUnavailable", OVERLOADED],
  [
    "SignatureDoesNotMatch",
    "check AWS_SECRET_ACCESS_KEY, and the region and the style in FLAGS_STORE",
  ],
  ["SlowDown", OVERLOADED],
]);

const NOT_S3 =
  "check the endpoint in FLAGS_STORE, which must be the address of the S3 API, not that of a console or a website";
const GATEWAY_FAILED = "the server, or a gateway in front of it, has failed";

/** A success that a server with the API of S3 would have reported in another way. */
export function createNotS3Error(): Error {
  return new Error(`The server accepted a document, but not as S3 does: ${NOT_S3}`);
}

/** NOTE: the result has no cause, because logs contain only the message of the innermost one. */
export function explainS3Failure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "CredentialsProviderError") {
    return new Error(
      `No AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the process a role (${error.message})`,
    );
  }
  const status = statusOf(error);
  if (status !== undefined) {
    return new Error(`The server responded with ${status}${describeResponse(error, status)}`);
  }
  const hint = UNKNOWN_ISSUER_CODES.has(codeOf(error))
    ? "Set FLAGS_STORE_CA_FILE to a file with the certificate of its CA"
    : "Check the scheme, host and port of the endpoint in FLAGS_STORE or, without an endpoint, the region";
  return new Error(`${describeCause(error)}. ${hint}`);
}

function describeResponse(error: Error, status: number): string {
  const code = s3CodeOf(error);
  if (code === undefined) {
    return `, but not as S3 does: ${status >= 500 ? GATEWAY_FAILED : NOT_S3}`;
  }
  if (!(error instanceof S3ServiceException)) {
    return ` (${code}) to the request for the credentials of a role: check the role and its permissions`;
  }
  const hint = HINTS.get(code) ?? defaultHint(status);
  const region = "Region" in error && isWord(error.Region) ? `. It is ${error.Region}` : "";
  return ` (${code}): ${hint}${region}`;
}

function defaultHint(status: number): string {
  if (status === 405 || status === 501) return "the server does not support this request";
  if (status === 507) return "the storage of the server is full";
  if (status >= 500) return "the server has failed";
  if (status === 401 || status === 403) return PERMISSIONS;
  return "the documentation of the server explains this code";
}

/** The status of the response, even if its body is not that of S3; undefined if there was no response. */
function statusOf(error: Error): number | undefined {
  const { $metadata, $response } = error as Error & Record<"$metadata" | "$response", unknown>;
  const status =
    (isRecord($metadata) && $metadata["httpStatusCode"]) ||
    (isRecord($response) && $response["statusCode"]);
  return typeof status === "number" ? status : undefined;
}

/** The code in the body of the response; undefined if there is none, since then another server has responded. */
function s3CodeOf(error: Error): string | undefined {
  const code: unknown = "Code" in error ? error.Code : undefined;
  return isWord(code) ? code : undefined;
}

/** What the server sends is shown in messages. */
function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value);
}
