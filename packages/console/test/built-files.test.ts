import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";

const DIRECTORY = fileURLToPath(new URL("../../admin/dist/console", import.meta.url));
const ASSETS = join(DIRECTORY, "assets");

const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));

test("the bundle contains the messages of the component library only in English", () => {
  const english = scripts.filter((name) => read(name).includes("Clear search"));
  expect(english).not.toEqual([]);
  for (const name of scripts) {
    expect(read(name)).not.toMatch(/Effacer la recherche/);
  }
});

test("large files have compressed variants with the same content", () => {
  const large = readdirSync(ASSETS).filter(
    (name) => /\.(?:js|css)$/.test(name) && statSync(join(ASSETS, name)).size > 2000,
  );
  expect(large.length).toBeGreaterThan(2);
  for (const name of large) {
    const content = readFileSync(join(ASSETS, name));
    expect(gunzipSync(readFileSync(join(ASSETS, `${name}.gz`))).equals(content)).toBe(true);
    expect(brotliDecompressSync(readFileSync(join(ASSETS, `${name}.br`))).equals(content)).toBe(
      true,
    );
  }
});

test("the licences of the bundled packages are next to the page", () => {
  const licences = readFileSync(join(DIRECTORY, "THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const name of ["react", "react-dom", "react-aria-components", "lucide-react"]) {
    expect(licences).toMatch(
      new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((?:MIT|ISC|Apache-2\\.0)\\)$`, "m"),
    );
  }
});

function read(name: string): string {
  return readFileSync(join(ASSETS, name), "utf8");
}
