import type { TlsMaterial } from "flags-server-kit/http";

/** How the proxy serves TLS. */
export interface TlsConfig {
  /** The certificate as it was at startup. */
  readonly material: TlsMaterial;
  readonly files: TlsFileSettings;
  /** Undefined: TLS uses the main port, and there is no plain HTTP. */
  readonly port: number | undefined;
  /** Whether the main port redirects to the port of TLS instead of serving plain HTTP. */
  readonly redirects: boolean;
}

/** Paths of the files of the TLS server, and the settings that contain them. */
export interface TlsFileSettings {
  readonly cert: NamedPath;
  readonly key: NamedPath;
  readonly clientCa: NamedPath | undefined;
}

interface NamedPath {
  readonly origin: string;
  readonly path: string;
}

/** Connections to the upstream. Certificates and keys are PEM. */
export interface UpstreamConnectionConfig {
  /** Undefined: the CAs that Node trusts. */
  readonly ca: readonly string[] | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Ports, addresses and certificates. */
export interface NetworkConfig {
  /** Undefined: plain HTTP only. */
  readonly tls: TlsConfig | undefined;
  /** Addresses and ranges that may send requests. Undefined: all that are not denied. */
  readonly allowList: readonly string[] | undefined;
  readonly denyList: readonly string[];
  /** Where metrics and operations are served. Undefined: on the main port. */
  readonly management: { readonly port: number; readonly host: string | undefined } | undefined;
  readonly upstream: UpstreamConnectionConfig;
}
