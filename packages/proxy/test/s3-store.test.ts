// Buckets: addresses, credentials and errors, with a real server.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Store } from "../src/store/store.ts";
import { Authority, type Identity, writeFiles } from "./_certificates.ts";
import { type S3Server, startS3Server } from "./_s3-server.ts";
import { testStoreContract } from "./_store-contract.ts";
import { openTestStore } from "./_stores.ts";

const { signal } = new AbortController();
const CONTENT = Buffer.from("content");

let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.stop());

async function canUse(store: Store): Promise<boolean> {
  await store.write("v1/document", CONTENT, signal);
  return CONTENT.equals((await store.read("v1/document", signal)) ?? Buffer.alloc(0));
}

/**
 * Starts a server for the duration of a test, and returns its origin.
 *
 * @param identity its certificate and key @default plain HTTP
 */
async function startServer(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  identity?: Identity,
): Promise<string> {
  const server =
    identity === undefined ? createServer(respond) : createTlsServer(identity, respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const scheme = identity === undefined ? "http" : "https";
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Forwards a request to the S3 server. The signature contains the host that the client has used. */
function forward(received: IncomingMessage, response: ServerResponse, host: string, path: string) {
  const { method, headers } = received;
  const target = request(`${s3.origin}${path}`, { method, headers: { ...headers, host } });
  target.on("response", (forwarded) => {
    response.writeHead(forwarded.statusCode ?? 500, forwarded.headers);
    forwarded.pipe(response);
  });
  received.pipe(target);
}

/** Sets environment variables for the duration of a test. */
function setVariables(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("a bucket", () => testStoreContract(() => s3));

test("a program that embeds the proxy can load the store", async () => {
  const module = new URL("../dist/s3-bundle/s3-store.js", import.meta.url).href;
  const code = `import { S3Store } from "${module}"; console.log(S3Store.name)`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    code,
  ]);
  expect(stdout.trim()).toBe("S3Store");
});

describe("errors are explained", () => {
  test.each<[string, () => string, Record<string, string>, string]>([
    [
      "a missing bucket",
      () => `s3://missing-bucket?endpoint=${s3.origin}`,
      {},
      "404 (NoSuchBucket): create the bucket",
    ],
    [
      "an unknown key",
      () => s3.createAddress(),
      { AWS_ACCESS_KEY_ID: "AKIAUNKNOWN" },
      "403 (InvalidAccessKeyId): the server does not know the key: check AWS_ACCESS_KEY_ID",
    ],
    [
      "a wrong key",
      () => s3.createAddress(),
      { AWS_SECRET_ACCESS_KEY: "wrong-secret" },
      "403 (SignatureDoesNotMatch): check AWS_SECRET_ACCESS_KEY",
    ],
    [
      "a server that is down",
      () => "s3://flags?endpoint=http://127.0.0.1:1",
      {},
      "nothing is listening there (connect ECONNREFUSED 127.0.0.1:1). Check the scheme, host and port of the endpoint in FLAGS_STORE",
    ],
    [
      "a host name that does not exist",
      () => "s3://flags?endpoint=http://none.invalid",
      {},
      "Check the scheme, host and port of the endpoint in FLAGS_STORE",
    ],
    [
      "https:// for a server without TLS",
      () => `s3://flags?endpoint=${s3.origin.replace("http:", "https:")}`,
      {},
      "the server does not use TLS on this port",
    ],
  ])("%s", async (_name, createAddress, environment, message) => {
    const store = await openTestStore(createAddress(), { ...s3.environment, ...environment });
    await expect(store.read("v1/document", signal)).rejects.toThrow(message);
    await expect(store.write("v1/document", CONTENT, signal)).rejects.toThrow(message);
    await expect(store.remove("v1/document", signal)).rejects.toThrow(message);
  });
});

describe("a server that is not S3, or fails in another way, is explained", () => {
  const PAGE = "<!DOCTYPE html><html><body>Welcome<br></body></html>";
  const ENDPOINT = "but not as S3 does: check the endpoint in FLAGS_STORE";
  const toXml = (code: string, more = ""): string =>
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>a message</Message>${more}</Error>`;

  test.each([
    [404, PAGE, `404, ${ENDPOINT}`],
    [405, PAGE, `405, ${ENDPOINT}`],
    [302, "", `302, ${ENDPOINT}`],
    [400, '{"error":"a message"}', `400, ${ENDPOINT}`],
    [403, "", `403, ${ENDPOINT}`],
    [403, toXml("a\nb"), `403, ${ENDPOINT}`],
    [502, PAGE, "502, but not as S3 does: the server, or a gateway in front of it, has failed"],
    [400, toXml("AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"), "It is eu-west-1"],
    [301, toXml("PermanentRedirect"), "301 (PermanentRedirect): the bucket is in another region"],
    [403, toXml("AccessDenied"), "403 (AccessDenied): the credentials need the permissions"],
    [403, toXml("Other"), "403 (Other): the credentials need the permissions"],
    [405, toXml("MethodNotAllowed"), "the server does not support this request"],
    [507, toXml("XMinioStorageFull"), "the storage of the server is full"],
    [409, toXml("Other"), "409 (Other): the documentation of the server explains this code"],
  ])("a response with status %d and the body %s: %s", async (status, body, message) => {
    const origin = await startServer((_received, response) => {
      response.writeHead(status, { location: "/login" }).end(body);
    });
    const store = await openTestStore(`s3://flags?endpoint=${origin}`, s3.environment);
    const write = store.write("v1/document", CONTENT, signal);
    await expect(write).rejects.toThrow(`The server responded with ${status}`);
    await expect(write).rejects.toThrow(message);
    await expect(write).rejects.not.toThrow(/a message|@aws-sdk/);
  });

  test("a web server that accepts everything", async () => {
    const origin = await startServer((_received, response) => response.end(PAGE));
    const store = await openTestStore(`s3://flags?endpoint=${origin}`, s3.environment);
    await expect(store.write("v1/document", CONTENT, signal)).rejects.toThrow(ENDPOINT);
  });

  test("a server with another protocol", async () => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined).end("-ERR unknown command\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const address = `s3://flags?endpoint=http://127.0.0.1:${port}`;
    const store = await openTestStore(address, s3.environment);
    await expect(store.read("v1/document", signal)).rejects.toThrow(
      "the server does not speak HTTP on this port",
    );
  });
});

test("the bucket can be part of the host name, and requests can use a forward proxy", async () => {
  const hosts = new Set<string>();
  const proxy = await startServer((received, response) => {
    const { host, pathname, search } = new URL(received.url ?? "");
    hosts.add(host);
    forward(received, response, host, `${pathname}${search}`);
  });
  const store = await openTestStore(
    `s3://${s3.bucket}/virtual?endpoint=http://s3.localhost&style=virtual`,
    { ...s3.environment, HTTP_PROXY: proxy },
  );
  expect(await canUse(store)).toBe(true);
  expect([...hosts]).toEqual([`${s3.bucket}.s3.localhost`]);
});

test("a TLS server can have a certificate of the authority in FLAGS_STORE_CA_FILE", async () => {
  const authority = new Authority();
  const files = writeFiles({ ca: authority.cert });
  const origin = await startServer(
    (received, response) =>
      forward(received, response, received.headers.host ?? "", received.url ?? ""),
    authority.issue("s3"),
  );
  const address = `s3://${s3.bucket}/tls?endpoint=${origin}`;
  const trusted = await openTestStore(address, {
    ...s3.environment,
    FLAGS_STORE_CA_FILE: files.ca,
  });
  expect(await canUse(trusted)).toBe(true);
  const untrusted = await openTestStore(address, s3.environment);
  await expect(untrusted.read("v1/document", signal)).rejects.toThrow(
    /not signed by a CA that this process trusts .* Set FLAGS_STORE_CA_FILE to a file/,
  );
});

test.each([
  [200, 80],
  [404, 1],
  [500, 1],
])(
  "a response with the status %s that never ends is read up to a limit of about %s MiB",
  async (status, limitMb) => {
    let sentBytes = 0;
    const closed: Promise<unknown>[] = [];
    const origin = await startServer((_request, response) => {
      closed.push(once(response, "close"));
      response.writeHead(status, { "content-type": "application/xml" });
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const send = (): void => {
        sentBytes += chunk.length;
        if (!response.destroyed) response.write(chunk, send);
      };
      send();
    });
    const store = await openTestStore(`s3://bucket?endpoint=${origin}`, s3.environment);
    const reading = expect(store.read("v1/document", signal)).rejects.toThrow();
    await reading;
    await Promise.all(closed);
    // With what is on the way, and attempts to send a request again.
    expect(sentBytes).toBeLessThan(3 * (limitMb + 20) * 1024 * 1024);
  },
);

describe("credentials of a role", () => {
  const open = (): Promise<Store> => openTestStore(s3.createAddress(), { AWS_REGION: "us-east-1" });
  /** The body of a response with the credentials of the server. */
  const toBody = (expiresAtMs: number): string =>
    JSON.stringify({
      Code: "Success",
      AccessKeyId: s3.environment["AWS_ACCESS_KEY_ID"],
      SecretAccessKey: s3.environment["AWS_SECRET_ACCESS_KEY"],
      // The server knows no temporary credentials.
      Token: "",
      Expiration: new Date(expiresAtMs).toISOString(),
    });
  const inAnHour = (): number => Date.now() + 3_600_000;

  async function writeToken(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "flags-token-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, "token");
    await writeFile(path, "the-token");
    return path;
  }

  test("credentials of a container are requested once", async () => {
    const tokens: unknown[] = [];
    const origin = await startServer(({ headers }, response) => {
      tokens.push(headers.authorization);
      response.end(toBody(inAnHour()));
    });
    setVariables({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: await writeToken(),
    });
    expect(await canUse(await open())).toBe(true);
    expect(tokens).toEqual(["the-token"]);
  });

  test("credentials are read from the metadata of an instance", async () => {
    const origin = await startServer(({ method, url, headers }, response) => {
      if (method === "PUT" && url === "/latest/api/token") return response.end("session");
      if (headers["x-aws-ec2-metadata-token"] !== "session") return response.writeHead(401).end();
      const base = "/latest/meta-data/iam/security-credentials/";
      if (url === base) return response.end("a-role\n");
      return url === `${base}a-role`
        ? response.end(toBody(inAnHour()))
        : response.writeHead(404).end();
    });
    setVariables({ AWS_EC2_METADATA_SERVICE_ENDPOINT: origin });
    expect(await canUse(await open())).toBe(true);
  });

  test("credentials are read with a Kubernetes service account", async () => {
    const bodies: URLSearchParams[] = [];
    const origin = await startServer((received, response) => {
      let body = "";
      received.on("data", (chunk: Buffer) => (body += chunk.toString()));
      received.on("end", () => {
        bodies.push(new URLSearchParams(body));
        const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.environment;
        response.end(
          `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${AWS_ACCESS_KEY_ID}</AccessKeyId><SecretAccessKey>${AWS_SECRET_ACCESS_KEY}</SecretAccessKey><SessionToken></SessionToken><Expiration>${new Date(inAnHour()).toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
        );
      });
    });
    setVariables({
      AWS_ENDPOINT_URL_STS: origin,
      AWS_WEB_IDENTITY_TOKEN_FILE: await writeToken(),
      AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/flags",
    });
    expect(await canUse(await open())).toBe(true);
    expect(bodies).toHaveLength(1);
    expect(Object.fromEntries(bodies[0] ?? [])).toMatchObject({
      Action: "AssumeRoleWithWebIdentity",
      RoleArn: "arn:aws:iam::123456789012:role/flags",
      WebIdentityToken: "the-token",
    });
  });

  test("without any credentials, the message says what to do", async () => {
    setVariables({ AWS_EC2_METADATA_DISABLED: "true" });
    const store = await open();
    await expect(store.read("v1/document", signal)).rejects.toThrow(
      "No AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the process a role (Could not load credentials from any providers)",
    );
  });
});
