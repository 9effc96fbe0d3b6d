import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { type Connections, createConnections } from "flags-sdk/internal";
import { describeUrl } from "flags-sdk/neutral";
import { type Environment, toHttpUrl, urlKind } from "flags-server-kit/command-line";
import { toErrorMessage } from "flags-server-kit/neutral";
import type { StoreAccess } from "../store.ts";
import { type HttpResponse, sendRequest } from "./http.ts";
import { awsOrigin } from "./s3-address.ts";

/** Credentials that expire within this time are replaced. */
const RENEW_BEFORE_MS = 300_000;

/** The credentials of a store: from the settings, or else from the role that the platform provides. */
export class Credentials {
  readonly #static: AwsCredentials | undefined;
  readonly #region: string;
  readonly #connections: Connections;
  #role: RoleCredentials | undefined;

  constructor(region: string, access: StoreAccess, connections: Connections) {
    const { accessKeyId, secretAccessKey, sessionToken } = access;
    this.#region = region;
    this.#connections = connections;
    if (accessKeyId === undefined || secretAccessKey === undefined) return;
    this.#static = {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
    };
  }

  /** Rejects if there are none. */
  async get(signal: AbortSignal): Promise<AwsCredentials> {
    if (this.#static !== undefined) return this.#static;
    const leftMs = this.#role === undefined ? 0 : this.#role.expiresAtMs - Date.now();
    if (this.#role !== undefined && leftMs >= RENEW_BEFORE_MS) return this.#role;
    try {
      this.#role = await findRoleCredentials({
        environment: process.env,
        region: this.#region,
        connections: this.#connections,
        signal,
      });
    } catch (error) {
      // The previous credentials are valid until they expire.
      if (this.#role === undefined || leftMs <= 0) throw error;
    }
    return this.#role;
  }

  /** Makes the next request use new credentials of the role, because these were rejected. */
  forget(): void {
    this.#role = undefined;
  }
}

// Credentials of a role that the platform provides: https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html

/** Credentials with which requests are signed. */
interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only temporary credentials have one. */
  readonly sessionToken?: string;
}

/** Credentials of a role, which are replaced before they expire. */
interface RoleCredentials extends AwsCredentials {
  readonly expiresAtMs: number;
}

interface RoleSource {
  /** The variables that the platform sets. */
  readonly environment: Environment;
  readonly region: string;
  readonly connections: Connections;
  readonly signal: AbortSignal;
}

/** Where there are no roles or metadata, such as outside AWS, a request would wait for its timeout. */
const METADATA_TIMEOUT_MS = 1000;

/** How long credentials are used whose response does not say when they expire. */
const DEFAULT_LIFETIME_MS = 900_000;

const CONTAINER_ORIGIN = "http://169.254.170.2";
const INSTANCE_ORIGIN = "http://169.254.169.254";

/**
 * Returns the credentials of the role of a Kubernetes service account (IRSA), of a container (ECS, EKS Pod
 * Identity), or of an EC2 instance.
 */
async function findRoleCredentials(source: RoleSource): Promise<RoleCredentials> {
  const { environment } = source;
  try {
    if (environment["AWS_WEB_IDENTITY_TOKEN_FILE"] !== undefined) return await assumeRole(source);
    const url = toContainerUrl(environment);
    if (url !== undefined) return await readContainerCredentials(url, source);
    return await readInstanceCredentials(source);
  } catch (cause) {
    const reason = toErrorMessage(cause);
    // oxlint-disable-next-line preserve-caught-error -- logs contain only the message of the innermost cause
    throw new Error(
      `No AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the process a role (${reason})`,
    );
  }
}

/** Exchanges the token of a Kubernetes service account for credentials. */
async function assumeRole(source: RoleSource): Promise<RoleCredentials> {
  const { environment, region, connections, signal } = source;
  const url = readUrl(environment, "AWS_ENDPOINT_URL_STS") ?? new URL(awsOrigin("sts", region));
  const token = await readFile(environment["AWS_WEB_IDENTITY_TOKEN_FILE"] ?? "", "utf8");
  const body = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: environment["AWS_ROLE_ARN"] ?? "",
    RoleSessionName: environment["AWS_ROLE_SESSION_NAME"] ?? hostname(),
    WebIdentityToken: token.trim(),
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await sendRequest(connections, {
    url,
    method: "POST",
    headers,
    body: body.toString(),
    signal,
  });
  const text = toText(response, url);
  const read = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1];
  return toCredentials({
    AccessKeyId: read("AccessKeyId"),
    SecretAccessKey: read("SecretAccessKey"),
    Token: read("SessionToken"),
    Expiration: read("Expiration"),
  });
}

function toContainerUrl(environment: Environment): URL | undefined {
  const relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  if (relative !== undefined) return new URL(relative, CONTAINER_ORIGIN);
  return readUrl(environment, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
}

function readUrl(environment: Environment, name: string): URL | undefined {
  const text = environment[name];
  if (text === undefined) return undefined;
  const url = toHttpUrl(text);
  if (url === undefined) throw new Error(`${name} must be ${urlKind.allowed}`);
  return url;
}

async function readContainerCredentials(
  url: URL,
  { environment, signal }: RoleSource,
): Promise<RoleCredentials> {
  const tokenFile = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const token =
    tokenFile === undefined
      ? environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
      : (await readFile(tokenFile, "utf8")).trim();
  return withDirectConnections(async (connections) => {
    const headers = token === undefined ? {} : { authorization: token };
    const response = await sendRequest(connections, { url, method: "GET", headers, signal });
    return toCredentials(toJson(response, url));
  });
}

/** Uses the metadata of an EC2 instance, in version 2. */
async function readInstanceCredentials({
  environment,
  signal,
}: RoleSource): Promise<RoleCredentials> {
  const origin = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? INSTANCE_ORIGIN;
  if (environment["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") {
    throw new Error("the metadata service of the instance is disabled");
  }
  return withDirectConnections(async (connections) => {
    const tokenUrl = new URL("/latest/api/token", origin);
    const token = await sendRequest(connections, {
      url: tokenUrl,
      method: "PUT",
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": "300" },
      signal,
    });
    const headers = { "x-aws-ec2-metadata-token": toText(token, tokenUrl) };
    const listUrl = new URL("/latest/meta-data/iam/security-credentials/", origin);
    const list = await sendRequest(connections, { url: listUrl, method: "GET", headers, signal });
    const [role = ""] = toText(list, listUrl).trim().split("\n");
    const url = new URL(encodeURIComponent(role), listUrl);
    const response = await sendRequest(connections, { url, method: "GET", headers, signal });
    return toCredentials(toJson(response, url));
  });
}

/** Connects without a forward proxy: these addresses exist only on this machine. */
async function withDirectConnections<T>(use: (connections: Connections) => Promise<T>): Promise<T> {
  const connections = createConnections({
    timeoutMs: METADATA_TIMEOUT_MS,
    httpProxy: "",
    httpsProxy: "",
    noProxy: "",
  });
  try {
    return await use(connections);
  } finally {
    connections.destroy();
  }
}

function toText({ status, body }: HttpResponse, url: URL): string {
  if (status === 200) return body.toString();
  throw new Error(`${describeUrl(url)} responded with ${status}`);
}

function toJson(response: HttpResponse, url: URL): unknown {
  return JSON.parse(toText(response, url));
}

function toCredentials(document: unknown): RoleCredentials {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = (document ?? {}) as Partial<
    Record<string, unknown>
  >;
  if (typeof AccessKeyId !== "string" || typeof SecretAccessKey !== "string") {
    throw new TypeError("the response contains no credentials");
  }
  const expiresAtMs = typeof Expiration === "string" ? Date.parse(Expiration) : Number.NaN;
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...(typeof Token === "string" && { sessionToken: Token }),
    expiresAtMs: Number.isNaN(expiresAtMs) ? Date.now() + DEFAULT_LIFETIME_MS : expiresAtMs,
  };
}
