import { spawn } from "node:child_process";
import { once } from "node:events";

const TIMEOUT_MS = 180_000;

/** Functions and variables of one block are available in the next one, as in a terminal. */
const PROLOGUE = `
set -euo pipefail
# As in the documents, but an error status of the server is a failure.
curl() { command curl --silent --show-error --fail-with-body --noproxy '*' "$@"; }
`;

/** Opens a shell that runs blocks of commands, one after the other. */
export function openShell(folder, environment) {
  // A new process group, so that programs started by a block end with the shell.
  const shell = spawn("bash", [], {
    cwd: folder,
    env: { ...process.env, ...environment },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  shell.stdout.on("data", (chunk) => (output += chunk));
  shell.stderr.on("data", (chunk) => (errors += chunk));
  shell.stdin.on("error", () => {}); // The exit of the shell is reported instead.
  const exit = once(shell, "close");
  shell.stdin.write(PROLOGUE);

  return {
    /** Resolves to what the block printed; rejects if a command fails. */
    async run(text, place) {
      output = "";
      errors = "";
      const end = `end-of-block-${Math.random()}`;
      const finished = new Promise((resolve) => {
        shell.stdout.on("data", function check() {
          if (!output.includes(end)) return;
          shell.stdout.off("data", check);
          resolve("finished");
        });
      });
      shell.stdin.write(`${text}\necho; echo ${end}\n`);
      const result = await Promise.race([finished, exit, timeout()]);
      if (result === "finished") return output.slice(0, output.indexOf(end));
      const problem = result === "timeout" ? `took more than ${TIMEOUT_MS} ms` : "failed";
      throw new Error(`${place} ${problem}:\n${text}\n${output}${errors}`);
    },
    close() {
      try {
        process.kill(-Number(shell.pid), "SIGKILL");
      } catch {
        // It has ended.
      }
    },
  };
}

function timeout() {
  return new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS, "timeout").unref());
}
