// Shows what a command is doing: one line per phase, with the elapsed time.

const UPDATE_INTERVAL_MS = 1000;
/** Without a terminal, a line cannot be replaced, so updates are rare. */
const PLAIN_UPDATE_INTERVAL_MS = 10_000;

/**
 * Runs a phase and shows how long it takes. In a terminal the line is updated every second; elsewhere a
 * line is added every 10 s.
 *
 * @param {string} name what happens, for example `Building`
 * @returns the result of the phase
 */
export async function showPhase(name, phase, output = process.stdout) {
  const startedAt = performance.now();
  const inTerminal = isTerminal(output);
  const show = () => {
    const line = `${name} … ${formatDuration(performance.now() - startedAt)}`;
    output.write(inTerminal ? `\r${line}` : `${line}\n`);
  };
  if (inTerminal) show();
  else output.write(`${name} …\n`);
  const timer = setInterval(show, inTerminal ? UPDATE_INTERVAL_MS : PLAIN_UPDATE_INTERVAL_MS);
  let end = "failed after";
  try {
    const result = await phase();
    end = "done in";
    return result;
  } finally {
    clearInterval(timer);
    const line = `${name}: ${end} ${formatDuration(performance.now() - startedAt)}`;
    // The line may be shorter than the previous one, so the rest of that is erased.
    output.write(inTerminal ? `\r${line}\x1b[K\n` : `${line}\n`);
  }
}

/** Prints a line during a phase. In a terminal, it takes the place of the line with the elapsed time. */
export function printLine(line, output = process.stdout) {
  output.write(isTerminal(output) ? `\r${line}\x1b[K\n` : `${line}\n`);
}

function isTerminal(output) {
  return output.isTTY && process.env.TERM !== "dumb";
}

/** Returns `1.6 s`, `58 s` or `2 min 5 s`. */
export function formatDuration(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
