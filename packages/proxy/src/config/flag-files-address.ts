import { tryDecode } from "flags-server-kit/neutral";

export const ENVIRONMENT = /^[^\s:.,*]+$/;

interface FlagFilesAddress {
  /** As given: absolute, or relative to the working directory. */
  readonly path: string;
  readonly environment: string | undefined;
}

/** Parses an address of a file. Returns undefined for other addresses, and a problem as a sentence. */
export function parseFlagFilesAddress(address: string): FlagFilesAddress | string | undefined {
  if (!/^file:/i.test(address)) return undefined;
  const [location, query] = splitAt(address.slice("file:".length), "?");
  if (/^\/\/[^/]/.test(location)) return "must not name a host: write file:/path or file:./path";
  const path = tryDecode(location.replace(/^\/\//, ""));
  if (path === undefined || path.includes("\0")) return "is not percent-encoded: write % as %25";
  if (path === "") return "must name a file or a directory, such as file:./flags.json";
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => name !== "environment");
  if (unknown !== undefined)
    return `has the unknown parameter ${unknown}: only environment is known`;
  const environment = parameters.get("environment") ?? undefined;
  if (environment !== undefined && !ENVIRONMENT.test(environment)) {
    return "must name an environment without spaces, commas, `:`, `.` and `*`";
  }
  return { path, environment };
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
