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
  /** Whether the bucket is the first part of the path or of the host name. */
  readonly style: "path" | "virtual";
}

/** Returns the origin of a service of AWS in a region. */
export function awsOrigin(service: "s3" | "sts", region: string): string {
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return `https://${service}.${region}.${domain}`;
}

/** S3-compatible servers accept this region, unless they are configured with another one. */
const DEFAULT_REGION = "us-east-1";

/** Parses the address of a store. */
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
      const { S3Store } = await import("./s3-store.ts");
      const region = address.region ?? access.region ?? DEFAULT_REGION;
      return new S3Store({ ...address, region }, access);
    },
  };
}

const BUCKET = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX_PART = /^(?!\.{1,2}$)[\w.-]+$/;
const REGION = /^[a-z0-9-]{1,40}$/;
const PARAMETERS: ReadonlySet<string> = new Set(["endpoint", "region", "style"]);

/** Accepts `s3://bucket/prefix?endpoint=https://host&region=eu-north-1&style=path`. */
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
  if (parameters instanceof InvalidValue) return parameters;
  // NOTE: certificates of AWS are not valid for buckets with dots in the host name.
  const isDefaultPath = parameters.endpoint !== undefined || bucket.includes(".");
  const style = parameters.style ?? (isDefaultPath ? "path" : "virtual");
  return { bucket, prefix: parts.join("/"), ...parameters, style };
}

type Parameters = Pick<S3Address, "endpoint" | "region"> & {
  readonly style: S3Address["style"] | undefined;
};

function parseParameters(parameters: URLSearchParams): Parameters | InvalidValue {
  if ([...parameters.keys()].some((name) => !PARAMETERS.has(name))) {
    return new InvalidValue("after ? it may only have endpoint, region and style");
  }
  const read = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const [address, region, style] = [read("endpoint"), read("region"), read("style")];
  const endpoint = address === undefined ? undefined : toOrigin(address);
  if (endpoint === "") {
    return new InvalidValue("endpoint must be a URL such as https://host:9000, without a path");
  }
  if (region !== undefined && !REGION.test(region)) {
    return new InvalidValue("region must be the name of a region, such as eu-north-1");
  }
  if (style !== undefined && style !== "path" && style !== "virtual") {
    return new InvalidValue("style must be path or virtual");
  }
  return { endpoint, region, style };
}

/** Returns the origin of an http or https address; empty if it is not one or has more parts. */
function toOrigin(text: string): string {
  if (!URL.canParse(text)) return "";
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : "";
}
