import { startCommand } from "./command.mjs";
import { hasResult, requireResult } from "./result.mjs";

/** Runs a program until it exits. Resolves to the milliseconds from its start to the result. */
export async function runProgram(argv, { variant, timeoutSeconds = 60, ...options }) {
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
