import { join } from "node:path";
import { runNext } from "./run-next.mjs";
import { runPage } from "./run-page.mjs";
import { runProgram } from "./run-program.mjs";

/** Runs one example. Resolves to pairs of what was tested and the milliseconds to its flags. */
export async function runExample(example, { work, interpreters, pagePort, ...options }) {
  const directory = join(work, example.name);
  if (example.kind === "program") {
    const [command, ...args] = example.run;
    const argv = [interpreters[command] ?? command, ...args];
    const { env, variant } = options;
    const { timeoutSeconds } = example;
    return runProgram(argv, { cwd: directory, env, variant, timeoutSeconds });
  }
  const run = example.kind === "next" ? runNext : runPage;
  return run(directory, { ...options, port: pagePort });
}
