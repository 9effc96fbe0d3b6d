import { join } from "node:path";
import { startCommand } from "./command.mjs";
import { hasResult, requireResult } from "./result.mjs";
import { runNext } from "./run-next.mjs";
import { runPage } from "./run-page.mjs";

/** Runs one example. Resolves to the milliseconds to its flags. */
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

/** Runs a program until it exits. Resolves to the milliseconds from its start to the result. */
async function runProgram(argv, { variant, timeoutSeconds = 60, ...options }) {
  const command = startCommand(argv, options);
  let readyMs;
  command.onOutput(() => {
    try {
      if (readyMs === undefined && hasResult(command.output(), variant))
        readyMs = command.elapsedMs();
    } catch {
      // Reported below, when the program has exited.
    }
  });
  const deadline = setTimeout(() => void command.stop(), timeoutSeconds * 1000);
  const code = await command.exit;
  clearTimeout(deadline);
  requireResult(command.output(), variant);
  if (code !== 0) throw new Error(`It failed with exit code ${code}:\n${command.output()}`);
  return readyMs;
}
