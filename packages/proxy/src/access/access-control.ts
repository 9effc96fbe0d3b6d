import { describeCount } from "flags-sdk/internal";
import { ConfigError, type Logger, toErrorMessage } from "flags-server-kit";
import type { Registry } from "prom-client";
import type { Source } from "../sources.ts";
import type { KeyVerifier } from "./verified-key.ts";
import type { Grant } from "./grant.ts";
import { createStaticGrants, KeyRegistry, KeyUses, type StaticKeys } from "./key-registry.ts";
import type { AccessFile } from "./read-access-file.ts";
import { Visibility } from "./visible-flags.ts";
import type { ContextVerifiers } from "./signed-context/context-verifiers.ts";
import type { UpstreamAccess } from "./upstream-access.ts";
import { FileError } from "../files/read-file.ts";

/** How often expired keys are noticed, to end their streams. Requests are checked exactly. */
const EXPIRY_CHECK_INTERVAL_MS = 250;

/** The settings with keys. */
interface AccessConfig extends StaticKeys {
  readonly accessFile: string | undefined;
  readonly logger: Logger;
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

/** What verifies keys upstream, and where its metrics are registered. */
interface Verification {
  /** Called when everything else that could fail has succeeded, so that nothing remains open. */
  readonly startVerifier: () => Promise<KeyVerifier>;
  readonly registry: Registry;
}

/** The state of the access file. */
interface AccessFileState {
  /** Whether the file is valid. If not, the previous keys continue to apply. */
  readonly isValid: boolean;
  /** When the keys in use were read, epoch milliseconds. */
  readonly loadedAtMs: number;
}

/** Notified after keys were added, removed, changed or have expired. */
type GrantsListener = () => void;

/** The keys of an app from settings, the access file and the upstream, kept up to date. */
export class AccessControl {
  readonly keys: KeyRegistry;
  readonly uses = new KeyUses();
  readonly visibility = new Visibility();
  readonly #static: readonly Grant[];
  readonly #sources: readonly Source[];
  readonly #listeners = new Set<GrantsListener>();
  #fileGrants: readonly Grant[] = [];
  #fileState: AccessFileState | undefined;
  #verifiers: ContextVerifiers | undefined;
  #upstream: UpstreamAccess | undefined;
  readonly #stops: (() => void)[] = [];

  private constructor(config: StaticKeys, sources: readonly Source[]) {
    this.#sources = sources;
    this.#static = createStaticGrants(config, sources, this.visibility);
    this.keys = new KeyRegistry(this.#static);
    this.#countUses();
  }

  /**
   * Reads the access file, if one is configured, and follows its changes. Lets the upstream verify keys, if
   * there is a verifier.
   *
   * @param verification the verifier that it starts is closed with the result. @default the upstream verifies no keys
   * @throws {ConfigError} if the file is invalid
   */
  static async open(
    config: AccessConfig,
    sources: readonly Source[],
    verification?: Verification,
  ): Promise<AccessControl> {
    const { accessFile, logger } = config;
    const control = new AccessControl(config, sources);
    if (accessFile !== undefined) await control.#follow(accessFile, config);
    if (verification !== undefined) await control.#verifyUpstream(logger, verification);
    return control;
  }

  /** Undefined if the upstream does not verify keys. */
  get upstream(): UpstreamAccess | undefined {
    return this.#upstream;
  }

  get fileGrants(): readonly Grant[] {
    return this.#fileGrants;
  }

  get fileState(): AccessFileState | undefined {
    return this.#fileState;
  }

  /** Calls a function after each change of the keys. */
  onChange(listener: GrantsListener): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#verifiers?.close();
    await this.#upstream?.close();
  }

  async #verifyUpstream(logger: Logger, { startVerifier, registry }: Verification): Promise<void> {
    const { UpstreamAccess } = await import("./upstream-access.ts");
    this.#upstream = new UpstreamAccess({
      verifier: await startVerifier(),
      sources: this.#sources,
      keys: this.keys,
      visibility: this.visibility,
      registry,
      logger,
      onRemoved: () => this.#notify(),
    });
    this.#countUses();
  }

  #countUses(): void {
    this.uses.follow([...this.#static, ...this.#fileGrants], this.#upstream !== undefined);
  }

  async #follow(path: string, config: AccessConfig): Promise<void> {
    const { logger } = config;
    // NOTE: loaded only if there is a file, since compiling its schema would slow down every start.
    const [{ createFileGrants }, { readAccessFile }, { FileFollower }] = await Promise.all([
      import("./create-grants.ts"),
      import("./read-access-file.ts"),
      import("../files/file-follower.ts"),
    ]);
    const related = {
      sources: this.#sources,
      staticKeys: new Set(this.#static.map(({ key }) => key)),
    };
    const load = async () => {
      const file = await readAccessFile(path);
      const { visibility } = this;
      const verifiers = await this.#verifiersFor(file, config);
      const grants = createFileGrants(file, related, {
        visibility,
        verifiers,
        previous: this.#fileGrants,
      });
      return { file, grants };
    };
    const first = await load().catch((error: unknown) => {
      if (!(error instanceof FileError)) throw error;
      throw new ConfigError(error.problems.map((problem) => `${path}: ${problem}`));
    });
    this.#replace(first.grants);

    let logged = "";
    const follower = new FileFollower(first.file, async () => {
      try {
        const { file, grants } = await load();
        this.#replace(grants);
        const count = describeCount(grants.length, "key");
        if (logged === "") logger.info(`Read ${count} from ${path}`);
        else logger.warn(`${path} can be used again: read ${count}`);
        logged = "";
        return file;
      } catch (error) {
        this.#fileState = { loadedAtMs: 0, ...this.#fileState, isValid: false };
        const reason = toErrorMessage(error);
        // A file that cannot be decoded is read again and again.
        if (reason !== logged)
          logger.error(`Cannot use ${path}; the previous keys stay in use: ${reason}`);
        logged = reason;
        return error instanceof FileError ? error.files : undefined;
      }
    });
    this.#stops.push(() => follower.close(), this.#followExpiry());
  }

  /** NOTE: loaded only if a key requires signed contexts. */
  async #verifiersFor(
    { entries }: AccessFile,
    { logger, httpProxy = "", httpsProxy = "", noProxy = "" }: AccessConfig,
  ): Promise<ContextVerifiers | undefined> {
    if (entries.every(({ signing }) => signing === undefined)) return undefined;
    const { ContextVerifiers, createKeysClient } =
      await import("./signed-context/context-verifiers.ts");
    this.#verifiers ??= new ContextVerifiers({
      logger,
      createHttp: () => createKeysClient({ httpProxy, httpsProxy, noProxy }),
    });
    return this.#verifiers;
  }

  #replace(fileGrants: readonly Grant[]): void {
    // NOTE: those in settings come first, so a file cannot change them.
    const grants = [...this.#static, ...fileGrants];
    this.keys.replace(grants);
    this.visibility.retain(this.keys.flagsInUse());
    this.#verifiers?.retain(new Set(grants.map(({ rules }) => rules?.contextVerifier)));
    this.#fileGrants = fileGrants;
    this.#countUses();
    this.#fileState = { isValid: true, loadedAtMs: Date.now() };
    this.#notify();
  }

  #followExpiry(): () => void {
    let checkedMs = Date.now();
    const timer = setInterval(() => {
      const nowMs = Date.now();
      if (this.keys.hasExpiryBetween(checkedMs, nowMs)) this.#notify();
      checkedMs = nowMs;
    }, EXPIRY_CHECK_INTERVAL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
