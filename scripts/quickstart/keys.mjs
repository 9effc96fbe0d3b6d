import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CLIENT_KEY, ENVIRONMENT, KEYS_FILE } from "./settings.mjs";

const NAMES = ["adminToken", "proxyToken", "clientKey"];

/** Returns the keys of this installation: those of the file in its directory, which the first start creates. */
export async function loadKeys({ directory }) {
  const file = join(directory, KEYS_FILE);
  const text = await readFile(file, "utf8").catch(ignoreMissing);
  if (text === undefined) return createKeys(directory, file);
  await chmod(file, 0o600);
  return parseKeys(text, file);
}

function ignoreMissing(error) {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

async function createKeys(directory, file) {
  const keys = {
    adminToken: `*:*.${randomText()}`,
    proxyToken: `*:${ENVIRONMENT}.${randomText()}`,
    clientKey: CLIENT_KEY,
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
