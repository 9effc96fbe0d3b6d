import { createHash } from "node:crypto";
import aws4 from "aws4";
import { type Connections, createConnections } from "flags-sdk/internal";
import type { Store, StoreAccess } from "../store.ts";
import { Credentials } from "./credentials.ts";
import { type HttpResponse, sendRequest } from "./http.ts";
import { awsOrigin, type S3Address } from "./s3-address.ts";

const CONNECT_TIMEOUT_MS = 5000;

interface BucketAddress extends S3Address {
  readonly region: string;
}

/** Stores documents as objects of a bucket, in S3 or a server that is compatible with it. */
export class S3Store implements Store {
  readonly #region: string;
  /** Keys are appended to it. */
  readonly #base: URL;
  readonly #connections: Connections;
  readonly #credentials: Credentials;

  constructor(address: BucketAddress, access: StoreAccess) {
    this.#region = address.region;
    this.#base = toBaseUrl(address);
    this.#connections = createConnections({
      timeoutMs: CONNECT_TIMEOUT_MS,
      ca: access.ca,
      // NOTE: for an absent setting, the connections would read the environment themselves.
      httpProxy: access.httpProxy ?? "",
      httpsProxy: access.httpsProxy ?? "",
      noProxy: access.noProxy ?? "",
    });
    this.#credentials = new Credentials(address.region, access, this.#connections);
  }

  async read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const response = await this.#send("GET", key, signal);
    if (response.status === 200) return response.body;
    // NOTE: a missing bucket is a 404 as well.
    if (response.status === 404 && readErrorCode(response) !== "NoSuchBucket") return undefined;
    throw toS3Error(response);
  }

  async write(key: string, content: Uint8Array, signal: AbortSignal): Promise<void> {
    const response = await this.#send("PUT", key, signal, content);
    if (response.status !== 200) throw toS3Error(response);
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const response = await this.#send("DELETE", key, signal);
    const isMissing = response.status === 404 && readErrorCode(response) !== "NoSuchBucket";
    if (response.status !== 204 && response.status !== 200 && !isMissing) throw toS3Error(response);
  }

  async close(): Promise<void> {
    this.#connections.destroy();
  }

  async #send(
    method: "GET" | "PUT" | "DELETE",
    key: string,
    signal: AbortSignal,
    body?: Uint8Array,
  ): Promise<HttpResponse> {
    signal.throwIfAborted();
    const credentials = await this.#credentials.get(signal);
    const url = new URL(key, this.#base);
    const request = aws4.sign(
      {
        service: "s3",
        region: this.#region,
        method,
        host: url.host,
        path: url.pathname,
        headers: {
          "x-amz-content-sha256": createHash("sha256")
            .update(body ?? "")
            .digest("hex"),
          ...(body && { "content-type": "application/octet-stream" }),
        },
      },
      credentials,
    );
    const headers = request.headers as Record<string, string>;
    const response = await sendRequest(this.#connections, { url, method, headers, body, signal });
    if (response.status === 403) this.#credentials.forget();
    return response;
  }
}

function toBaseUrl({ bucket, prefix, endpoint, style, region }: BucketAddress): URL {
  const base = new URL(endpoint ?? awsOrigin("s3", region));
  if (style === "virtual") base.hostname = `${bucket}.${base.hostname}`;
  else base.pathname = `/${bucket}/`;
  if (prefix !== "") base.pathname += `${prefix}/`;
  return base;
}

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
function readErrorCode({ body }: Pick<HttpResponse, "body">): string | undefined {
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
