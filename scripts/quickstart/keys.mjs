import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ENVIRONMENT } from "./settings.mjs";

const NAMES = ["adminToken", "proxyToken", "clientKey"];

/** Loads the quickstart keys of this machine, which the first start creates. */
export async function loadKeys(directory) {
  const file = join(directory, "quickstart-keys.json");
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return createKeys(directory, file);
  await chmod(file, 0o600);
  return parseKeys(text, file);
}

async function createKeys(directory, file) {
  const keys = {
    adminToken: `*:*.${randomText()}`,
    proxyToken: `*:${ENVIRONMENT}.${randomText()}`,
    clientKey: `client-${randomText()}`,
  };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Renamed when complete, so an interrupted start leaves no partial file.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
  return keys;
}

function randomText() {
  return randomBytes(16).toString("hex");
}

function parseKeys(text, file) {
  try {
    const keys = JSON.parse(text);
    if (NAMES.every((name) => typeof keys[name] === "string" && keys[name] !== "")) return keys;
  } catch {
    // The error is not shown, because its message quotes the file.
  }
  throw new Error(
    `${file} does not contain valid keys. Delete it; the next start creates new ones.`,
  );
}
