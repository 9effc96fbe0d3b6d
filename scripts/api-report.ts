import { readFileSync } from "node:fs";

/** Describes what a declaration file of the build exports: each declaration in full, without comments, by name. */
export function describeApi(file: URL): string {
  const declarations = [...readExports(file)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return declarations.map(([, text]) => `${text}\n`).join("\n");
}

/** What follows `export` in a declaration, up to the name. */
const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/;
const REEXPORT = /^export (?:type )?\{(.*)\} from "(.*)";$/s;

function readExports(file: URL): Map<string, string> {
  const exported = new Map<string, string>();
  for (const statement of readStatements(file)) {
    const [, names, module] = REEXPORT.exec(statement) ?? [];
    if (names !== undefined && module !== undefined) {
      for (const [name, text] of readReexports(names, module, file)) exported.set(name, text);
      continue;
    }
    const [, name] = DECLARATION.exec(statement) ?? [];
    if (name === undefined || !statement.startsWith("export ")) continue;
    // A function has a statement for each of its signatures.
    exported.set(name, [exported.get(name), statement].filter(Boolean).join("\n"));
  }
  return exported;
}

function* readReexports(names: string, module: string, file: URL): Generator<[string, string]> {
  const own = module.startsWith(".") ? readExports(toDeclarations(module, file)) : undefined;
  for (const part of names.split(",")) {
    const name = part.trim().replace(/^type /, "");
    if (name === "") continue;
    const text = own === undefined ? `export { ${name} } from "${module}";` : own.get(name);
    if (text === undefined) throw new Error(`${file.pathname} exports ${name}, not in ${module}`);
    yield [name, text];
  }
}

function toDeclarations(module: string, file: URL): URL {
  return new URL(module.replace(/\.[jt]s$/, ".d.ts"), file);
}

/** In a declaration file of the compiler, each statement begins at the start of a line, and nothing else does. */
function readStatements(file: URL): readonly string[] {
  const text = readFileSync(file, "utf8").replaceAll(/^ *\/\*[\s\S]*?\*\/\n/gm, "");
  return text.split(/^(?=[a-z])/m).map((statement) => statement.trim());
}
