import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A certificate and its private key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

const openssl = (...args: readonly string[]): void => {
  execFileSync("openssl", args, { stdio: "pipe" });
};

/** Creates a folder for the duration of a test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-tls-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Writes files into a new folder, and returns their paths by name. */
export function writeFiles<Name extends string>(
  files: Readonly<Record<Name, string>>,
): Record<Name, string> {
  const directory = makeDirectory();
  return Object.fromEntries(
    Object.entries<string>(files).map(([name, text]) => {
      const path = join(directory, `${name}.pem`);
      writeFileSync(path, text);
      return [name, path];
    }),
  ) as Record<Name, string>;
}

/** An authority that signs certificates for 127.0.0.1. */
export class Authority {
  readonly #directory: string;
  readonly cert: string;

  constructor(name = "Test authority") {
    this.#directory = makeDirectory();
    const files = ["-keyout", this.#path("ca.key"), "-out", this.#path("ca.pem"), "-days", "2"];
    openssl("req", "-x509", ...CURVE, ...files, "-subj", `/CN=${name}`);
    this.cert = readFileSync(this.#path("ca.pem"), "utf8");
  }

  /** @param days negative: the certificate has expired */
  issue(name: string, days = 1): Identity {
    const [key, request, cert] = ["leaf.key", "leaf.csr", "leaf.pem"].map((file) =>
      this.#path(file),
    );
    writeFileSync(this.#path("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
    openssl(
      "req",
      "-new",
      ...CURVE,
      "-keyout",
      key ?? "",
      "-out",
      request ?? "",
      "-subj",
      `/CN=${name}`,
    );
    const signer = ["-CA", this.#path("ca.pem"), "-CAkey", this.#path("ca.key"), "-CAcreateserial"];
    const period = ["-days", String(days), "-extfile", this.#path("names")];
    openssl("x509", "-req", "-in", request ?? "", "-out", cert ?? "", ...signer, ...period);
    return { cert: readFileSync(cert ?? "", "utf8"), key: readFileSync(key ?? "", "utf8") };
  }

  #path(file: string): string {
    return join(this.#directory, file);
  }
}
