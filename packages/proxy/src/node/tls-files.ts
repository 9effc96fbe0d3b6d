import { unwatchFile, watchFile } from "node:fs";
import type { Server } from "node:tls";
import { explainInvalidPeriod, type FileProblems } from "flags-server-kit";
import type { Logger } from "flags-server-kit/neutral";
import type { TlsMaterial } from "../config/config.ts";

interface TlsFilesOptions {
  readonly material: TlsMaterial;
  /** The files that `load` reads. */
  readonly paths: readonly string[];
  readonly load: () => TlsMaterial | FileProblems;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
  /** How often the files are checked for changes. @default 1000 */
  readonly checkIntervalMs?: number;
  /** @default the system clock */
  readonly now?: () => number;
}

const CHECK_INTERVAL_MS = 1000;

/** How many checks pass until files that could not be used are read again: a certificate may become valid. */
const CHECKS_PER_RETRY = 10;

/**
 * The certificate of TLS servers, which is replaced when its files change: open connections continue,
 * new ones get the new certificate. Files that cannot be used, or whose certificate is not valid now,
 * leave the previous certificate in place.
 *
 * NOTE: checks the status of the files instead of subscribing to changes in their directories. This works
 * for symbolic links, which Kubernetes replaces when a secret changes, and on network file systems, and
 * needs no inotify watches. A certificate changes every few weeks, so a second of delay does not matter.
 */
export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #servers = new Set<Server>();
  readonly #quietMs: number;
  #material: TlsMaterial;
  #timer: NodeJS.Timeout | undefined;
  #lastProblem: string | undefined;
  readonly #onChange = (): void => this.#schedule();

  constructor(options: TlsFilesOptions) {
    const { paths, checkIntervalMs = CHECK_INTERVAL_MS } = options;
    this.#options = options;
    this.#material = options.material;
    // Certificate and key are separate files: longer than a check, so that changes of both are seen.
    this.#quietMs = checkIntervalMs * 1.5;
    for (const path of paths) {
      watchFile(path, { interval: checkIntervalMs, persistent: false }, this.#onChange);
    }
    // The files may have changed after they were read, and before the first check.
    this.#schedule();
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  /** Keeps the certificate of a server up to date until the server closes. */
  follow(server: Server): void {
    this.#servers.add(server);
    server.once("close", () => this.#servers.delete(server));
  }

  close(): void {
    for (const path of this.#options.paths) unwatchFile(path, this.#onChange);
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number = this.#quietMs): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#reload(), delayMs).unref();
  }

  #reload(): void {
    const { load, logger, now = Date.now } = this.#options;
    const loaded = load();
    if ("problems" in loaded) {
      this.#reject(loaded.problems.join("; "));
      return;
    }
    if (isSame(loaded, this.#material)) {
      if (this.#lastProblem !== undefined) {
        logger.warn("The TLS files can be used again. They contain the certificate in use");
      }
      this.#lastProblem = undefined;
      return;
    }
    const problem = explainInvalidPeriod(loaded, now());
    if (problem !== undefined) {
      this.#reject(problem);
      return;
    }
    for (const server of this.#servers) server.setSecureContext(toContextOptions(loaded));
    this.#material = loaded;
    const level = this.#lastProblem === undefined ? "info" : "warn";
    this.#lastProblem = undefined;
    const until = new Date(loaded.validToMs).toISOString();
    logger[level](`The TLS certificate was replaced. The new one is valid until ${until}`);
  }

  /** Keeps the previous certificate. Logs each problem once, and reads the files again later. */
  #reject(problem: string): void {
    const { checkIntervalMs = CHECK_INTERVAL_MS } = this.#options;
    this.#schedule(CHECKS_PER_RETRY * checkIntervalMs);
    if (problem === this.#lastProblem) return;
    this.#lastProblem = problem;
    this.#options.logger.error(
      `The TLS files have changed, but cannot be used, so the previous certificate stays in use: ${problem}`,
    );
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.cert === b.cert && a.key === b.key && a.clientCa === b.clientCa;
}

/** Options of a TLS context. */
interface ContextOptions {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/** Returns the options of `tls.createSecureContext()`. */
export function toContextOptions({ cert, key, clientCa }: TlsMaterial): ContextOptions {
  return { cert, key, ...(clientCa !== undefined && { ca: clientCa }) };
}
