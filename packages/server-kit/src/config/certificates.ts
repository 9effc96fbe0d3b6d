import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { toErrorMessage } from "../errors.ts";
import { readTextFile } from "./read-text-file.ts";
import { showText } from "./show-text.ts";

/** A file that a setting names. */
export interface NamedFile {
  /** The variable or option that contains the path, for messages. */
  readonly origin: string;
  readonly path: string;
}

/** A certificate chain and its private key. */
export interface Certificate {
  /** PEM: the certificate, followed by those of intermediate CAs. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

/** Why files cannot be used: sentences that name the setting. */
export interface FileProblems {
  readonly problems: readonly string[];
}

/** Reads a certificate chain and its private key, and checks that they belong together. */
export function loadCertificate(
  certFile: NamedFile,
  keyFile: NamedFile,
): Certificate | FileProblems {
  const chain = readCertificates(certFile);
  const key = readPrivateKey(keyFile);
  const problems = [chain, key].flatMap((part) => ("problem" in part ? [part.problem] : []));
  if ("problem" in chain || "problem" in key) return { problems };
  const [leaf] = chain.certificates;
  if (leaf?.checkPrivateKey(key.key) !== true) {
    return {
      problems: [
        `${keyFile.origin}: the key in ${showText(keyFile.path)} does not belong to the first certificate in ${showText(certFile.path)} (${certFile.origin})`,
      ],
    };
  }
  try {
    createSecureContext({ cert: chain.text, key: key.text });
  } catch (error) {
    // For example a key that is too short for the security level of OpenSSL.
    return {
      problems: [`${certFile.origin}: TLS cannot use the certificate: ${toErrorMessage(error)}`],
    };
  }
  return {
    cert: chain.text,
    key: key.text,
    validFromMs: Date.parse(leaf.validFrom),
    validToMs: Date.parse(leaf.validTo),
  };
}

/** Reads the certificates of CAs to trust. */
export function loadAuthorities(file: NamedFile): { readonly ca: string } | FileProblems {
  const read = readCertificates(file);
  return "problem" in read ? { problems: [read.problem] } : { ca: read.text };
}

/** Says why a certificate is not valid at a time; undefined if it is. */
export function explainInvalidPeriod(
  { validFromMs, validToMs }: Pick<Certificate, "validFromMs" | "validToMs">,
  nowMs: number,
): string | undefined {
  if (nowMs > validToMs) return `the certificate expired at ${new Date(validToMs).toISOString()}`;
  if (nowMs >= validFromMs) return undefined;
  return `the certificate is not valid before ${new Date(validFromMs).toISOString()}: check the clock of this machine`;
}

type Problem = { readonly problem: string };

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function readCertificates({
  origin,
  path,
}: NamedFile):
  | { readonly text: string; readonly certificates: readonly X509Certificate[] }
  | Problem {
  const file = readTextFile(path);
  if ("problem" in file) return unreadable(origin, path, file.problem);
  const blocks = file.text.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) {
    return unreadable(origin, path, "it contains no certificate in PEM format");
  }
  try {
    // NOTE: text around the certificates, such as comments or a private key, is not passed on.
    const certificates = blocks.map((block) => new X509Certificate(block));
    return { text: `${blocks.join("\n")}\n`, certificates };
  } catch (error) {
    return unreadable(origin, path, `a certificate in it is damaged: ${toErrorMessage(error)}`);
  }
}

type PrivateKey = ReturnType<typeof createPrivateKey>;

function readPrivateKey({
  origin,
  path,
}: NamedFile): { readonly text: string; readonly key: PrivateKey } | Problem {
  const file = readTextFile(path);
  if ("problem" in file) return unreadable(origin, path, file.problem);
  const { text } = file;
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    return unreadable(origin, path, "it contains no private key in PEM format");
  }
  // PKCS #8, and the older format of OpenSSL.
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    return unreadable(origin, path, "the key is encrypted: store it without a passphrase");
  }
  try {
    return { text, key: createPrivateKey(text) };
  } catch (error) {
    return unreadable(origin, path, `the key in it is damaged: ${toErrorMessage(error)}`);
  }
}

function unreadable(origin: string, path: string, reason: string): Problem {
  return { problem: `${origin}: cannot use the file ${showText(path)}: ${reason}` };
}
