import * as tls from "node:tls";
import {
  type Certificate,
  explainInvalidPeriod,
  type FileProblems,
  loadAuthorities,
  loadCertificate,
  type NamedFile,
  type Resolution,
} from "flags-server-kit";
import type { TlsMaterial } from "flags-server-kit/http";
import type {
  NetworkConfig,
  TlsConfig,
  TlsFileSettings,
  UpstreamConnectionConfig,
} from "./config.ts";
import type { Settings } from "./settings.ts";

type FileSetting =
  | "tlsCertFile"
  | "tlsKeyFile"
  | "tlsClientCaFile"
  | "upstreamCaFile"
  | "upstreamCertFile"
  | "upstreamKeyFile"
  | "storeCaFile";

/** The network configuration, and the problems with its files. */
interface LoadedNetwork {
  readonly network: NetworkConfig;
  /** Authorities to trust for the store. */
  readonly storeAuthorities: readonly string[] | undefined;
  readonly problems: readonly string[];
  /** Certificates that are not valid now: they may be renewed while the proxy runs. */
  readonly risks: readonly string[];
}

/** Reads and checks the certificates that settings name. */
export function loadNetwork(resolution: Resolution<Settings>, nowMs: number): LoadedNetwork {
  const reader = new CertificateReader(resolution, nowMs);
  const { values } = resolution;
  const network: NetworkConfig = {
    tls: reader.tls(),
    allowList: values.allowList,
    denyList: values.denyList,
    management: toManagement(resolution),
    upstream: reader.upstream(),
  };
  const storeAuthorities = reader.authorities("storeCaFile");
  const { problems, risks } = reader;
  return { network: Object.freeze(network), storeAuthorities, problems, risks };
}

/** Reads certificate files, and collects the problems with them. */
class CertificateReader {
  readonly problems: string[] = [];
  readonly risks: string[] = [];
  readonly #resolution: Resolution<Settings>;
  readonly #nowMs: number;

  constructor(resolution: Resolution<Settings>, nowMs: number) {
    this.#resolution = resolution;
    this.#nowMs = nowMs;
  }

  tls(): TlsConfig | undefined {
    const { tlsPort, tlsRedirect } = this.#resolution.values;
    const cert = this.#named("tlsCertFile");
    const key = this.#named("tlsKeyFile");
    if (cert === undefined || key === undefined) return undefined;
    const files = { cert, key, clientCa: this.#named("tlsClientCaFile") };
    const material = this.#check(loadTlsMaterial(files), cert);
    return material && Object.freeze({ material, files, port: tlsPort, redirects: tlsRedirect });
  }

  upstream(): UpstreamConnectionConfig {
    const { upstreamHeaders, upstreamTimeout } = this.#resolution.values;
    const certFile = this.#named("upstreamCertFile");
    const keyFile = this.#named("upstreamKeyFile");
    const identity =
      certFile && keyFile && this.#check(loadCertificate(certFile, keyFile), certFile);
    return Object.freeze({
      ca: this.authorities("upstreamCaFile"),
      cert: identity?.cert,
      key: identity?.key,
      headers: Object.freeze(upstreamHeaders),
      timeoutMs: upstreamTimeout,
    });
  }

  /** Returns the CAs in the file of a setting and those that Node trusts; undefined if it is not set. */
  authorities(name: FileSetting): readonly string[] | undefined {
    const file = this.#named(name);
    const authorities = file && this.#keep(loadAuthorities(file));
    return authorities && [...knownAuthorities(), authorities.ca];
  }

  /** Returns the path that a setting contains; undefined if it is not set. */
  #named(name: FileSetting): NamedFile | undefined {
    const path = this.#resolution.values[name];
    const origin = this.#resolution.origins.get(name);
    return path === undefined || origin === undefined ? undefined : { origin, path };
  }

  #check<T extends Certificate>(loaded: T | FileProblems, { origin }: NamedFile): T | undefined {
    const certificate = this.#keep(loaded);
    const risk = certificate && explainInvalidPeriod(certificate, this.#nowMs);
    if (risk !== undefined) this.risks.push(`${origin}: ${risk}`);
    return certificate;
  }

  #keep<T extends object>(loaded: T | FileProblems): T | undefined {
    if (!("problems" in loaded)) return loaded;
    this.problems.push(...loaded.problems);
    return undefined;
  }
}

function toManagement({ values }: Resolution<Settings>): NetworkConfig["management"] {
  const { managementPort: port, managementHost, host } = values;
  return port === undefined ? undefined : { port, host: managementHost ?? host };
}

/** Reads the files of the TLS server; problems of all of them are returned together. */
export function loadTlsMaterial({
  cert,
  key,
  clientCa,
}: TlsFileSettings): TlsMaterial | FileProblems {
  const certificate = loadCertificate(cert, key);
  const authorities = clientCa === undefined ? { ca: undefined } : loadAuthorities(clientCa);
  const problems = [certificate, authorities].flatMap((part) =>
    "problems" in part ? part.problems : [],
  );
  if ("problems" in certificate || "problems" in authorities) return { problems };
  return { ...certificate, clientCa: authorities.ca };
}

/** NOTE: Node 20 cannot list the authorities of `NODE_EXTRA_CA_CERTS`, so they are not included there. */
function knownAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { readonly getCACertificates?: () => string[] };
  return getCACertificates?.() ?? tls.rootCertificates;
}
