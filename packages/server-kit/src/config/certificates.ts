import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { toErrorMessage } from "../errors.ts";
import { readTextFile } from "./read-text-file.ts";
import { showText } from "./show-text.ts";

/** A file that a setting names. */
export interface NamedFile {
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
  const [leaf] = chain.parsed;
  if (leaf?.checkPrivateKey(key.parsed) !== true) {
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

const ENCRYPTED = /^(?:-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED)/m;

/** Parses what a file contains of a kind of PEM; other text in it, such as comments, is not used. */
function readPem<T>(
  { origin, path }: NamedFile,
  kind: string,
  pattern: RegExp,
  parse: (blocks: readonly string[]) => T,
): { readonly text: string; readonly parsed: T } | Problem {
  const unusable = (reason: string): Problem => ({
    problem: `${origin}: cannot use the file ${showText(path)}: ${reason}`,
  });
  const file = readTextFile(path);
  if ("problem" in file) return unusable(file.problem);
  const blocks = file.text.match(pattern);
  if (blocks === null) return unusable(`it contains no ${kind} in PEM format`);
  if (blocks.some((block) => ENCRYPTED.test(block))) {
    return unusable("the key is encrypted: store it without a passphrase");
  }
  try {
    return { text: `${blocks.join("\n")}\n`, parsed: parse(blocks) };
  } catch (error) {
    return unusable(`a ${kind} in it is damaged: ${toErrorMessage(error)}`);
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function readCertificates(file: NamedFile) {
  return readPem(file, "certificate", CERTIFICATE, (blocks) =>
    blocks.map((block) => new X509Certificate(block)),
  );
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/;

function readPrivateKey(file: NamedFile) {
  return readPem(file, "private key", PRIVATE_KEY, ([key = ""]) => createPrivateKey(key));
}
