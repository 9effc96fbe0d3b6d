import type { Connections } from "flags-sdk";
import {
  type AwsCredentials,
  findRoleCredentials,
  type RoleCredentials,
} from "./role-credentials.ts";

interface StaticCredentials {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  readonly region: string;
}

/** Credentials that expire within this time are replaced. */
const RENEW_BEFORE_MS = 300_000;

/** The credentials of a store: those of the settings, or else those of the role of the platform. */
export class Credentials {
  readonly #static: AwsCredentials | undefined;
  readonly #region: string;
  readonly #connections: Connections;
  #role: RoleCredentials | undefined;

  constructor(settings: StaticCredentials, connections: Connections) {
    const { accessKeyId, secretAccessKey, sessionToken } = settings;
    this.#region = settings.region;
    this.#connections = connections;
    if (accessKeyId === undefined || secretAccessKey === undefined) return;
    this.#static = {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
    };
  }

  /** Rejects if there are none. */
  async get(signal: AbortSignal): Promise<AwsCredentials> {
    if (this.#static !== undefined) return this.#static;
    const leftMs = this.#role === undefined ? 0 : this.#role.expiresAtMs - Date.now();
    if (this.#role !== undefined && leftMs >= RENEW_BEFORE_MS) return this.#role;
    try {
      this.#role = await findRoleCredentials({
        environment: process.env,
        region: this.#region,
        connections: this.#connections,
        signal,
      });
    } catch (error) {
      // The previous credentials are valid until they expire.
      if (this.#role === undefined || leftMs <= 0) throw error;
    }
    return this.#role;
  }

  /** Makes the next request use new credentials of the role, because these were rejected. */
  forget(): void {
    this.#role = undefined;
  }
}
