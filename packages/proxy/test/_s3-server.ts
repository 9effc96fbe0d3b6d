import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { installPythonPackages } from "../../../deploy/_tools.ts";
import type { StoreServer } from "./_store-server.ts";

/** A server with the API of S3, which also verifies signatures, and its dependencies. */
const PACKAGES = ["moto==5.2.5", "flask==3.1.3", "flask-cors==6.0.1"];

/** Requests that the server accepts without a signature: those of `prepareAccount()`. */
const UNSIGNED_REQUESTS = 4;

/** An authorization with the right form, which says which API is meant; its signature is not verified. */
const unsignedFor = (service: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=x`,
});

const BUCKET = "flags";

const POLICY = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }],
});

/** A running server. */
export interface S3Server extends StoreServer {
  /** Its address, such as `http://127.0.0.1:5000`. */
  readonly origin: string;
  readonly bucket: string;
}

/** Installs Python's package of the server, if that has not been done before, and starts it. */
export async function startS3Server(): Promise<S3Server> {
  const child = spawn("python3", ["-m", "moto.server", "-H", "127.0.0.1", "-p", "0"], {
    env: {
      ...process.env,
      PYTHONPATH: await installPythonPackages(...PACKAGES),
      INITIAL_NO_AUTH_ACTION_COUNT: String(UNSIGNED_REQUESTS),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  const origin = await readOrigin(child);
  const credentials = await prepareAccount(origin);
  return {
    origin,
    bucket: BUCKET,
    environment: { ...credentials, AWS_REGION: "us-east-1" },
    createAddress: () => `s3://${BUCKET}/${randomUUID()}?endpoint=${origin}`,
    // The server responds with a 500 if two requests replace an object at the same time, and to a few requests that
    // read it meanwhile.
    maxWriters: 1,
    failsDuringWrites: true,
    freeze: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function readOrigin({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error("The S3 server has no output");
  for await (const line of createInterface({ input: stderr })) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (origin === undefined) continue;
    stderr.resume();
    return origin;
  }
  throw new Error("The S3 server did not start");
}

/** Creates a user, a key, permissions and a bucket, after which the server verifies signatures. */
async function prepareAccount(origin: string): Promise<Record<string, string>> {
  const user = { Version: "2010-05-08", UserName: "flags" };
  await post(origin, { ...user, Action: "CreateUser" });
  const created = await post(origin, { ...user, Action: "CreateAccessKey" });
  const policy = { PolicyName: "all", PolicyDocument: POLICY };
  await post(origin, { ...user, ...policy, Action: "PutUserPolicy" });
  await fetch(`${origin}/${BUCKET}`, { method: "PUT", headers: unsignedFor("s3") });
  const read = (name: string): string =>
    new RegExp(`<${name}>([^<]+)<`).exec(created)?.[1] ?? "missing";
  return {
    AWS_ACCESS_KEY_ID: read("AccessKeyId"),
    AWS_SECRET_ACCESS_KEY: read("SecretAccessKey"),
  };
}

async function post(origin: string, parameters: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(parameters);
  const response = await fetch(origin, { method: "POST", headers: unsignedFor("iam"), body });
  const text = await response.text();
  if (!response.ok) throw new Error(`The S3 server responded with ${response.status}: ${text}`);
  return text;
}
