import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rootDirectory } from "../workspace.mjs";

/** Files that no user needs. */
const UNWANTED =
  /(?:\.tsbuildinfo|\.map|\.code|\.test\.[cm]?[jt]s|\.tsx?)$|(?:^|\/)(?:_|test\/|src\/)/;
const DECLARATIONS = /\.d\.[cm]?ts$/;

const REQUIRED_FILES = ["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts"];

const REQUIRED_FILES_OF = {
  "packages/admin": [
    "dist/console/index.html",
    "dist/console/THIRD-PARTY-LICENSES.txt",
    "dist/database/empty.tar.br",
  ],
  "packages/proxy": ["dist/s3-bundle/s3-store.js", "dist/swagger-ui/swagger-ui-bundle.js"],
};

const REQUIRED_FIELDS = [
  "description",
  "keywords",
  "homepage",
  "bugs",
  "license",
  "author",
  "engines",
  "main",
  "types",
  "exports",
];

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

/** Returns the problems in the files and the manifests of the packages. */
export async function checkContents(packages) {
  const root = await readJson("package.json");
  const problems = await Promise.all(packages.map((packed) => checkPackage(packed, root)));
  return problems.flat();
}

async function checkPackage({ name, files }, root) {
  const directory = join("packages", name.replace(/^flags-/, ""));
  const manifest = await readJson(join(directory, "package.json"));
  const problems = [
    ...checkFiles(directory, files),
    ...checkManifest(manifest, directory, root),
    ...(await checkReadme(directory, root)),
  ];
  if ((await readText("LICENSE")) !== (await readText(join(directory, "LICENSE")))) {
    problems.push("LICENSE differs from that of the repository");
  }
  return problems.map((problem) => `${name}: ${problem}`);
}

function checkFiles(directory, files) {
  const required = [...REQUIRED_FILES, ...(REQUIRED_FILES_OF[directory] ?? [])];
  const missing = required.filter((file) => !files.includes(file));
  const unwanted = files.filter((file) => UNWANTED.test(file) && !DECLARATIONS.test(file));
  const outdated = files.filter((file) => isOutdated(directory, file));
  return [
    ...missing.map((file) => `${file} is missing from the tarball`),
    ...unwanted.map((file) => `${file} does not belong in the tarball`),
    ...outdated.map((file) => `${file} has no source file: delete dist and build again`),
  ];
}

/** The compiler does not delete the output of deleted sources. */
function isOutdated(directory, file) {
  const [, module] = /^dist\/(.+?)(?:\.d\.ts|\.js)$/.exec(file) ?? [];
  if (module === undefined || /^(?:bundle|console|s3-bundle|swagger-ui)\//.test(module))
    return false;
  return !existsSync(join(rootDirectory, directory, "src", `${module}.ts`));
}

function checkManifest(manifest, directory, root) {
  const missing = REQUIRED_FIELDS.filter((field) => manifest[field] === undefined);
  const scripts = INSTALL_SCRIPTS.filter((script) => manifest.scripts?.[script] !== undefined);
  const internal = Object.entries(manifest.dependencies ?? {}).filter(
    ([name, range]) => name.startsWith("flags-") && range !== root.version,
  );
  const commands = Object.entries(manifest.bin ?? {}).filter(([, file]) => file.startsWith("./"));
  const { url, directory: path } = manifest.repository ?? {};
  return [
    ...missing.map((field) => `package.json lacks ${field}`),
    ...scripts.map((script) => `package.json has the script ${script}, which npm blocks`),
    ...internal.map(([name, range]) => `requires ${name} ${range} instead of ${root.version}`),
    ...commands.map(
      ([name]) => `the path of the command ${name} begins with ./, which npm publish changes`,
    ),
    ...(manifest.version === root.version ? [] : [`has version ${manifest.version}`]),
    ...(url === root.repository.url && path === directory.replaceAll("\\", "/")
      ? []
      : ["package.json has another repository than the root"]),
    ...(manifest.homepage === root.homepage && manifest.bugs === root.bugs
      ? []
      : ["package.json has another homepage or bugs than the root"]),
  ];
}

/** Links have to work on npm, so they are absolute. Those to files of the repository must exist. */
async function checkReadme(directory, root) {
  const text = await readText(join(directory, "README.md"));
  const files = `${root.homepage.replace("#readme", "")}/blob/main/`;
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (!target.startsWith("https://")) return [`README.md has the relative link ${target}`];
    if (!target.startsWith(files)) return [];
    const [path] = target.slice(files.length).split("#");
    return existsSync(join(rootDirectory, path))
      ? []
      : [`README.md links to a missing file: ${path}`];
  });
}

function readText(path) {
  return readFile(join(rootDirectory, path), "utf8");
}

async function readJson(path) {
  return JSON.parse(await readText(path));
}
