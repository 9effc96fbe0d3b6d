import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The page of the console as it is sent once, with its Content-Security-Policy. */
interface ConsolePage {
  readonly html: string;
  readonly policy: string;
}

const NONCE_BYTES = 16;
const NONCE_PLACEHOLDER = "__CSP_NONCE__";
const BASE_PLACEHOLDER = "__BASE_HREF__";

/**
 * Reads the page of a built console.
 *
 * @param basePath the path at which browsers reach the service, with a slash at both ends
 * @returns a function that creates the page for one response; undefined if the console is not built
 */
export async function loadConsolePage(
  directory: string,
  basePath: string,
): Promise<(() => ConsolePage) | undefined> {
  const template = await readIfPresent(join(directory, "index.html"));
  if (template === undefined) return undefined;
  const parts = template
    .replaceAll(BASE_PLACEHOLDER, escapeHtml(basePath))
    .split(NONCE_PLACEHOLDER);
  return () => {
    const nonce = randomBytes(NONCE_BYTES).toString("base64");
    return { html: parts.join(nonce), policy: policyFor(nonce) };
  };
}

/** Components add styles at run time, with the nonce. Scripts are only loaded from files. */
function policyFor(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  '"': "&quot;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&"'<>]/g, (character) => ENTITIES[character] ?? "");
}
