import { findProgram, installWithApt } from "../system-programs.mjs";

const PYTHON = { command: "python3", debianPackage: "python3-venv" };
const CHROMIUM = { command: "chromium", debianPackage: "chromium" };
const MAVEN = { command: "mvn" };
const GO = { command: "go" };

/** The examples in examples/clients, and how each of them runs. */
const EXAMPLES = [
  { name: "javascript", kind: "page", tool: CHROMIUM },
  { name: "react", kind: "page", tool: CHROMIUM },
  { name: "vue", kind: "page", tool: CHROMIUM },
  { name: "svelte", kind: "page", tool: CHROMIUM },
  { name: "openfeature-web", kind: "page", tool: CHROMIUM },
  { name: "nextjs", kind: "next", tool: CHROMIUM },
  { name: "node", kind: "program", run: ["node", "main.js"], isServerSdk: true },
  { name: "openfeature-node", kind: "program", run: ["node", "main.js"] },
  { name: "python", kind: "program", run: ["python", "main.py"], isServerSdk: true, tool: PYTHON },
  {
    name: "python-streaming",
    directory: "python",
    kind: "program",
    run: ["python", "streaming.py"],
    isServerSdk: true,
    tool: PYTHON,
  },
  { name: "openfeature-python", kind: "program", run: ["python", "main.py"], tool: PYTHON },
  {
    name: "java",
    kind: "program",
    run: ["mvn", "-q", "-B", "compile", "exec:java"],
    isServerSdk: true,
    tool: MAVEN,
    // Downloads its dependencies and the plugins of Maven.
    timeoutSeconds: 300,
    onlyWithAll: true,
  },
  {
    name: "go",
    kind: "program",
    run: ["go", "run", "."],
    isServerSdk: true,
    tool: GO,
    // Downloads and compiles its dependencies.
    timeoutSeconds: 300,
    onlyWithAll: true,
  },
];

export const EXAMPLE_NAMES = EXAMPLES.map(({ name }) => name);

/** Chooses the examples by command-line arguments, and skips those whose tool cannot be installed. */
export function chooseExamples(args) {
  const names = args.filter((arg) => arg !== "--all");
  const unknown = names.filter((name) => !EXAMPLE_NAMES.includes(name));
  const wanted = EXAMPLES.filter(({ name, onlyWithAll }) =>
    names.length > 0 ? names.includes(name) : !onlyWithAll || args.includes("--all"),
  );
  const skipped = wanted.filter(({ tool }) => tool && !isAvailable(tool));
  return { examples: wanted.filter((example) => !skipped.includes(example)), skipped, unknown };
}

function isAvailable({ command, debianPackage }) {
  if (findProgram(command)) return true;
  return debianPackage !== undefined && installWithApt(debianPackage);
}
