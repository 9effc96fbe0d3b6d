import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

/** The `Accept` header of a browser that opens a page. */
export const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

export const SCRIPT = "export const text = 'a script';\n".repeat(100);

const INDEX = `<!doctype html>
<html lang="en"><head><base href="__BASE_HREF__"><meta name="csp-nonce" nonce="__CSP_NONCE__">
<script type="module" src="assets/index-abc123.js"></script></head>
<body><style nonce="__CSP_NONCE__">p { margin: 0; }</style></body></html>
`;

/** Writes a folder like that of the built console, and deletes it at the end of the test. */
export function writeConsole(): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-console-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "assets"));
  writeFileSync(join(directory, "index.html"), INDEX);
  writeFileSync(join(directory, "favicon.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
  writeFileSync(join(directory, "assets", "index-abc123.js"), SCRIPT);
  writeFileSync(join(directory, "assets", "index-abc123.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(directory, "assets", ".hidden"), "hidden");
  return directory;
}
