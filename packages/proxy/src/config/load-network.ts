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
import type { Findings } from "./check-settings.ts";
import type { Settings } from "./settings.ts";

export interface TlsMaterial extends Certificate {
  /** PEM certificates of the CAs that issue client certificates; undefined if clients need none. */
  readonly clientCa: string | undefined;
}

interface TlsFileSettings {
  readonly cert: NamedFile;
  readonly key: NamedFile;
  readonly clientCa: NamedFile | undefined;
}

export interface TlsConfig {
  /** The certificate as it was at startup. */
  readonly material: TlsMaterial;
  readonly files: TlsFileSettings;
  /** Undefined: TLS uses the main port, and there is no plain HTTP. */
  readonly port: number | undefined;
  /** Whether the main port redirects to the port of TLS instead of serving plain HTTP. */
  readonly redirects: boolean;
}

/** Ports, addresses and certificates. */
export type NetworkConfig = ReturnType<typeof loadNetwork>["network"];

type FileSetting =
  | "tlsCertFile"
  | "tlsKeyFile"
  | "tlsClientCaFile"
  | "upstreamCaFile"
  | "upstreamCertFile"
  | "upstreamKeyFile"
  | "storeCaFile";

export function loadNetwork(
  { values, origins }: Resolution<Settings>,
  findings: Findings,
  nowMs: number,
) {
  const fileOf = (name: FileSetting): NamedFile | undefined => {
    const path = values[name];
    const origin = origins.get(name);
    return path === undefined || origin === undefined ? undefined : { origin, path };
  };
  const keep = <T extends object>(loaded: T | FileProblems): T | undefined => {
    if (!("problems" in loaded)) return loaded;
    findings.problems.push(...loaded.problems);
    return undefined;
  };
  /** A certificate that is not valid now may be renewed while the proxy runs. */
  const check = <T extends Certificate>(loaded: T | FileProblems, { origin }: NamedFile) => {
    const certificate = keep(loaded);
    const risk = certificate && explainInvalidPeriod(certificate, nowMs);
    if (risk !== undefined) findings.risks.push(`${origin}: ${risk}`);
    return certificate;
  };
  /** Returns the CAs in the file of a setting and those that Node trusts; undefined if it is not set. */
  const authoritiesOf = (name: FileSetting): readonly string[] | undefined => {
    const file = fileOf(name);
    const authorities = file && keep(loadAuthorities(file));
    return authorities && [...knownAuthorities(), authorities.ca];
  };
  const loadTls = (): TlsConfig | undefined => {
    const [cert, key] = [fileOf("tlsCertFile"), fileOf("tlsKeyFile")];
    if (cert === undefined || key === undefined) return undefined;
    const files = { cert, key, clientCa: fileOf("tlsClientCaFile") };
    const material = check(loadTlsMaterial(files), cert);
    return material && { material, files, port: values.tlsPort, redirects: values.tlsRedirect };
  };
  const { managementPort, managementHost = values.host } = values;
  const [certFile, keyFile] = [fileOf("upstreamCertFile"), fileOf("upstreamKeyFile")];
  const tls = loadTls();
  const identity = certFile && keyFile && check(loadCertificate(certFile, keyFile), certFile);
  const network = {
    tls,
    allowList: values.allowList,
    denyList: values.denyList,
    /** Where metrics and operations are served. Undefined: on the main port. */
    management:
      managementPort === undefined ? undefined : { port: managementPort, host: managementHost },
    upstream: {
      ca: authoritiesOf("upstreamCaFile"),
      cert: identity?.cert,
      key: identity?.key,
      headers: values.upstreamHeaders,
      timeoutMs: values.upstreamTimeout,
    },
  };
  return { network, storeAuthorities: authoritiesOf("storeCaFile") };
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
