import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("_slow-upstream.mjs", import.meta.url));

/** What the upstream has received so far. */
export interface Received {
  /** How often flags were on, by application. */
  readonly yes: Readonly<Record<string, number>>;
  /** How many requests came, by path. */
  readonly requests: Readonly<Record<string, number>>;
  /** Registrations, in bulk or not. */
  readonly applications: readonly Readonly<Record<string, unknown>>[];
}

export interface SlowUpstream {
  /** What `FLAGS_URL` would be set to. */
  readonly url: string;
  received(): Promise<Received>;
}

interface SlowUpstreamOptions {
  /** How long each POST takes. @default 50 */
  readonly delayMs?: number;
  /** What a bulk report gets; with any other status than 202 nothing of it counts. @default 202 */
  readonly bulkStatus?: number;
  /** Flags `on`, `on-1`, `on-2` and so on. @default 1 */
  readonly flagCount?: number;
}

/** Starts an upstream in a process of its own, for the length of a test. */
export async function startSlowUpstream(options: SlowUpstreamOptions = {}): Promise<SlowUpstream> {
  const { delayMs = 50, bulkStatus = 202, flagCount = 1 } = options;
  const child = fork(SCRIPT, {
    env: {
      DELAY_MS: String(delayMs),
      BULK_STATUS: String(bulkStatus),
      FLAG_COUNT: String(flagCount),
    },
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  });
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return {
    url: `http://127.0.0.1:${port}/api`,
    received: async () => {
      const reply = once(child, "message");
      child.send("report");
      const [received] = (await reply) as [Received];
      return received;
    },
  };
}
