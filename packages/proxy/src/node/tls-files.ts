import { createServer } from "node:https";
import type { Server } from "node:tls";
import { explainInvalidPeriod, type FileProblems } from "flags-server-kit";
import type { CreateServer } from "flags-server-kit/http";
import type { Logger } from "flags-server-kit/neutral";
import type { TlsMaterial } from "../config/load-network.ts";
import { FileFollower } from "../files/file-follower.ts";
import type { FollowedFiles } from "../files/read-file.ts";

interface TlsFilesOptions {
  readonly material: TlsMaterial;
  readonly paths: readonly string[];
  readonly load: () => TlsMaterial | FileProblems;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
}

/** How long a TLS handshake may take. Node's default is 120 s. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/**
 * The certificate of TLS servers, which is replaced for new connections when its files change. Files that cannot be used, or
 * whose certificate is not valid now, leave the previous one in place.
 */
export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #servers = new Set<Server>();
  readonly #follower: FileFollower;
  /** Has the files read again, changed or not. */
  readonly #unread: FollowedFiles;
  #material: TlsMaterial;
  #lastProblem = "";

  constructor(options: TlsFilesOptions) {
    this.#options = options;
    this.#material = options.material;
    this.#unread = { paths: options.paths, fingerprint: "" };
    // The files may have changed after they were read.
    this.#follower = new FileFollower(this.#unread, async () => this.#reload());
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  readonly createServer: CreateServer = (options, handle) => {
    const { clientCa } = this.#material;
    const server = createServer(
      {
        ...options,
        ...toContextOptions(this.#material),
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
        requestCert: clientCa !== undefined,
        rejectUnauthorized: clientCa !== undefined,
      },
      handle,
    );
    this.#servers.add(server);
    server.once("close", () => this.#servers.delete(server));
    return server;
  };

  close(): void {
    this.#follower.close();
  }

  #reload(): FollowedFiles | undefined {
    const loaded = this.#options.load();
    if ("problems" in loaded) {
      this.#reject(loaded.problems.join("; "));
      return undefined;
    }
    const problem = explainInvalidPeriod(loaded, Date.now());
    if (problem === undefined || isSame(loaded, this.#material)) {
      this.#use(loaded);
      return undefined;
    }
    this.#reject(problem);
    // It may become valid.
    return this.#unread;
  }

  #use(loaded: TlsMaterial): void {
    const { logger } = this.#options;
    const level = this.#lastProblem === "" ? "info" : "warn";
    this.#lastProblem = "";
    if (isSame(loaded, this.#material)) {
      if (level === "info") return;
      logger.warn("The TLS files can be used again. They contain the certificate in use");
      return;
    }
    for (const server of this.#servers) server.setSecureContext(toContextOptions(loaded));
    this.#material = loaded;
    const until = new Date(loaded.validToMs).toISOString();
    logger[level](`The TLS certificate was replaced. The new one is valid until ${until}`);
  }

  #reject(problem: string): void {
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

function toContextOptions({ cert, key, clientCa }: TlsMaterial) {
  return { cert, key, ...(clientCa !== undefined && { ca: clientCa }) };
}
