import type { Source } from "../../sources/sources.ts";
import { findSource, limitedProject } from "../../sources/token-scope.ts";
import { digestKey, type Grant, type KeyKind } from "./grant.ts";
import { KeyRegistry } from "./key-registry.ts";
import { KeyUses } from "./key-uses.ts";
import { Visibility } from "./visible-flags.ts";

interface StaticKeys {
  readonly clientKeys: readonly string[];
  readonly serverTokens: readonly string[];
  /** Whether a key gives only flags of the project that its text names. */
  readonly limitsKeysToProject: boolean;
}

export interface UpstreamVerification {
  /**
   * Has a key verified that the registry does not know. Returns whether it is valid: then the registry knows it.
   *
   * @param address IP address of the client
   * @throws {HttpError} 401 if no source serves the environment or the projects of the key, 429 if too many
   *   unknown keys were sent, 503 if too many requests wait, or if the upstream does not respond
   */
  verify(key: string, address: string): Promise<boolean>;
  /** Has several keys verified; then the registry knows the valid ones. @throws {HttpError} 429 or 503 */
  verifyAll(keys: readonly string[], address: string): Promise<void>;
  /** Has a known key verified again if it is due, by its digest. @throws {HttpError} 503 if it no longer counts */
  confirm(key: string): Promise<void>;
  close(): Promise<void>;
}

interface AccessFileState {
  /** If not, the previous keys continue to apply. */
  readonly isValid: boolean;
  /** When the keys in use were read, epoch milliseconds. */
  readonly loadedAtMs: number;
}

export class AccessControl {
  readonly keys: KeyRegistry;
  readonly uses = new KeyUses();
  readonly visibility = new Visibility();
  readonly static: readonly Grant[];
  readonly #listeners = new Set<() => void>();
  readonly #stops: (() => void)[] = [];
  #fileGrants: readonly Grant[] = [];
  #fileState: AccessFileState | undefined;
  #upstream: UpstreamVerification | undefined;

  constructor(config: StaticKeys, sources: readonly Source[]) {
    this.static = createStaticGrants(config, sources, this.visibility);
    this.keys = new KeyRegistry(this.static);
    this.#countUses();
  }

  get upstream(): UpstreamVerification | undefined {
    return this.#upstream;
  }

  get fileGrants(): readonly Grant[] {
    return this.#fileGrants;
  }

  get fileState(): AccessFileState | undefined {
    return this.#fileState;
  }

  useUpstream(upstream: UpstreamVerification): void {
    this.#upstream = upstream;
    this.#countUses();
  }

  replaceFileGrants(grants: readonly Grant[]): void {
    // NOTE: those in settings come first, so a file cannot change them.
    this.keys.replace([...this.static, ...grants]);
    this.visibility.retain(this.keys.flagsInUse());
    this.#fileGrants = grants;
    this.#countUses();
    this.#fileState = { isValid: true, loadedAtMs: Date.now() };
    this.notify();
  }

  /** Records that the access file cannot be used. The previous keys continue to apply. */
  rejectFile(): void {
    this.#fileState = { loadedAtMs: 0, ...this.#fileState, isValid: false };
  }

  /** Calls a function after keys were added, removed, changed or have expired. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls a function when the keys are no longer needed. */
  onClose(stop: () => void): void {
    this.#stops.push(stop);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#upstream?.close();
  }

  #countUses(): void {
    this.uses.follow([...this.static, ...this.#fileGrants], this.#upstream !== undefined);
  }
}

/** A key that no source serves has no grant. */
function createStaticGrants(
  { clientKeys, serverTokens, limitsKeysToProject }: StaticKeys,
  sources: readonly Source[],
  visibility: Visibility,
): readonly Grant[] {
  const toGrants = (kind: KeyKind, keys: readonly string[]): readonly Grant[] =>
    keys.flatMap((key) => {
      const source = findSource(key, sources);
      if (source === undefined) return [];
      const project = limitsKeysToProject ? limitedProject(key, source) : undefined;
      const projects = project === undefined ? undefined : [project];
      return [{ key: digestKey(key), kind, flags: visibility.get(source, { projects }) }];
    });
  return [...toGrants("client", clientKeys), ...toGrants("server", serverTokens)];
}
