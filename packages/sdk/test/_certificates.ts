import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tls } from "./_upstream.ts";

/** Creates a self-signed certificate for 127.0.0.1. */
export function makeSelfSigned(): Tls {
  const directory = mkdtempSync(join(tmpdir(), "flags-tls-"));
  const [keyPath, certPath] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  try {
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const files = ["-keyout", keyPath, "-out", certPath, "-days", "1"];
    execFileSync("openssl", ["req", "-x509", ...curve, ...files, ...subject], { stdio: "ignore" });
    return { key: readFileSync(keyPath, "utf8"), cert: readFileSync(certPath, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
