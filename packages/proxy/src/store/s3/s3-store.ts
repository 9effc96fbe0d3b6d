import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import type { HttpHandlerOptions, HttpRequest } from "@smithy/types";
import { createConnections, type NodeConnections } from "flags-sdk/internal";
import { MAX_DOCUMENT_BYTES, type Store, type StoreAccess } from "../store.ts";
import { createNotS3Error, explainS3Failure } from "./explain-s3-failure.ts";
import type { S3Address } from "./s3-address.ts";

const CONNECT_TIMEOUT_MS = 5000;

const MAX_ERROR_BYTES = 64 * 1024;

/** S3-compatible servers accept this region, unless they are configured with another one. */
const DEFAULT_REGION = "us-east-1";

/** Stores documents as objects of a bucket, in S3 or a server that is compatible with it. */
export class S3Store implements Store {
  readonly #client: S3Client;
  readonly #bucket: string;
  /** Precedes every key. */
  readonly #prefix: string;
  readonly #connections: NodeConnections;

  constructor({ bucket, prefix, endpoint, region, style }: S3Address, access: StoreAccess) {
    const { accessKeyId, secretAccessKey, sessionToken } = access;
    this.#bucket = bucket;
    this.#prefix = prefix === "" ? "" : `${prefix}/`;
    this.#connections = createConnections({
      timeoutMs: CONNECT_TIMEOUT_MS,
      ca: access.ca,
      // NOTE: for an absent setting, the connections would read the environment themselves.
      httpProxy: access.httpProxy ?? "",
      httpsProxy: access.httpsProxy ?? "",
      noProxy: access.noProxy ?? "",
    });
    this.#client = new S3Client({
      region: region ?? access.region ?? DEFAULT_REGION,
      forcePathStyle: style === "path",
      followRegionRedirects: true,
      // Servers that are compatible with S3 do not know all checksums.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: createRequestHandler(this.#connections),
      ...(endpoint !== undefined && { endpoint }),
      ...(accessKeyId !== undefined &&
        secretAccessKey !== undefined && {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken !== undefined && { sessionToken }),
          },
        }),
    });
  }

  async read(key: string, abortSignal: AbortSignal): Promise<Uint8Array | undefined> {
    try {
      const command = new GetObjectCommand(this.#locate(key));
      const { Body: body } = await this.#client.send(command, { abortSignal });
      return await body?.transformToByteArray();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw explainS3Failure(error);
    }
  }

  async write(key: string, content: Uint8Array, abortSignal: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({ ...this.#locate(key), Body: content });
    const { ETag: etag } = await this.#client
      .send(command, { abortSignal })
      .catch((error: unknown) => {
        throw explainS3Failure(error);
      });
    // A web server may respond with 200 to everything.
    if (etag === undefined) throw createNotS3Error();
  }

  async remove(key: string, abortSignal: AbortSignal): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand(this.#locate(key)), { abortSignal });
    } catch (error) {
      if (!isMissing(error)) throw explainS3Failure(error);
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
    this.#connections.destroy();
  }

  #locate(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }
}

/** Lets the client use connections with our settings. */
function createRequestHandler(
  connections: NodeConnections,
): NonNullable<S3ClientConfig["requestHandler"]> {
  return {
    handle: async (
      { protocol, hostname, port, path, query, method, headers, body: sent }: HttpRequest,
      { abortSignal }: HttpHandlerOptions = {},
    ) => {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
      for (const [name, value] of Object.entries(query ?? {}))
        url.searchParams.set(name, String(value));
      const { message } = await connections.send({
        url,
        method: method as "GET" | "PUT" | "POST" | "DELETE",
        headers: { "accept-encoding": "identity", ...headers },
        body: sent as string | Uint8Array | undefined,
        // The library calls without a signal to exchange the token of a service account.
        signal: (abortSignal ?? AbortSignal.timeout(CONNECT_TIMEOUT_MS)) as AbortSignal,
      });
      const { statusCode = 0 } = message;
      const received = Object.entries(message.headers);
      const texts = Object.fromEntries(received.map(([name, value]) => [name, String(value)]));
      const body = Readable.from(limit(message, statusCode), { objectMode: false });
      return { response: { statusCode, headers: texts, body } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

/** NOTE: the library reads whole responses, also those with errors. Throwing out of the loop closes the connection. */
async function* limit(
  message: AsyncIterable<Uint8Array>,
  status: number,
): AsyncGenerator<Uint8Array, undefined> {
  const maxBytes = status < 300 ? MAX_DOCUMENT_BYTES : MAX_ERROR_BYTES;
  let sizeBytes = 0;
  for await (const chunk of message) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes)
      throw new Error(`The response with the status ${status} is longer than ${maxBytes} bytes`);
    yield chunk;
  }
  return undefined;
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    error.$metadata.httpStatusCode === 404 &&
    error.name !== "NoSuchBucket"
  );
}
