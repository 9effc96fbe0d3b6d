import { InvalidValue } from "flags-server-kit/command-line";
import type { StoreAddress } from "../store.ts";

/** A bucket of S3, or of a server that is compatible with it. */
export interface S3Address {
  readonly bucket: string;
  /** Without slashes around it; may be empty. */
  readonly prefix: string;
  /** The origin of the server; undefined for AWS in the region. */
  readonly endpoint: string | undefined;
  /** Undefined: the region in the environment variables. */
  readonly region: string | undefined;
  /** Whether the bucket is the first part of the path or, unless it contains a dot, of the host name. */
  readonly style: "path" | "virtual";
}

const BUCKET = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX_PART = /^(?!\.{1,2}$)[\w.-]+$/;
const REGION = /^[a-z0-9-]{1,40}$/;

/** Parses the address of a store, such as `s3://bucket/prefix?endpoint=https://host&region=eu-north-1&style=path`. */
export function parseS3Store(text: string): StoreAddress | InvalidValue {
  const address = parseS3Address(text);
  if (address instanceof InvalidValue) return address;
  const { bucket, prefix, endpoint } = address;
  const location = prefix === "" ? bucket : `${bucket}/${prefix}`;
  return {
    text: `s3://${location}${endpoint === undefined ? "" : ` at ${endpoint}`}`,
    secrets: [],
    login: "aws",
    needsRegion: (endpoint ?? address.region) === undefined,
    // Without an endpoint, the store is AWS, which uses TLS.
    usesTls: endpoint?.startsWith("http:") !== true,
    canShareFlags: false,
    open: async (access) => {
      const { S3Store } = await import("#s3-store");
      return new S3Store(address, access);
    },
  };
}

export function parseS3Address(text: string): S3Address | InvalidValue {
  const [, bucket = "", path = "", query = ""] =
    /^s3:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (!BUCKET.test(bucket)) {
    // NOTE: does not show the value, which can contain credentials.
    return new InvalidValue(
      "it must begin with s3:// and the name of a bucket, which has 3 to 63 characters, without credentials",
    );
  }
  const parts = path.split("/").filter((part) => part !== "");
  if (!parts.every((part) => PREFIX_PART.test(part))) {
    return new InvalidValue("the prefix after the bucket may contain letters, digits and - _ . /");
  }
  const parameters = parseParameters(new URLSearchParams(query));
  if (parameters === undefined) {
    return new InvalidValue(
      "after ? it may only have endpoint, such as https://host:9000, region, such as eu-north-1, and style, which is path or virtual",
    );
  }
  return { bucket, prefix: parts.join("/"), ...parameters };
}

function parseParameters(
  parameters: URLSearchParams,
): Pick<S3Address, "endpoint" | "region" | "style"> | undefined {
  const { endpoint, region, style, ...others } = Object.fromEntries(parameters);
  const isValid =
    Object.keys(others).length === 0 &&
    (endpoint === undefined || isOrigin(endpoint)) &&
    (region === undefined || REGION.test(region)) &&
    (style === undefined || style === "path" || style === "virtual");
  if (!isValid) return undefined;
  return {
    endpoint: endpoint && new URL(endpoint).origin,
    region,
    style: style ?? (endpoint === undefined ? "virtual" : "path"),
  };
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
}
