import { eq } from "drizzle-orm";
import { AttemptLimiter, AUTHENTICATION_LIMITS, networkOf } from "flags-server-kit/neutral";
import { LRUCache } from "lru-cache";
import type { Account } from "../access/account.ts";
import { ApiError } from "../errors.ts";
import { users } from "../storage/schema/accounts.ts";
import type { Storage } from "../storage/storage.ts";
import { hashPassword, isOutdated, verifyPassword } from "./password.ts";
import { findLogin } from "./user-store.ts";

const { total } = AUTHENTICATION_LIMITS;
const ADDRESS_LIMITS = { perAddress: { burst: 50, perSecond: 1 / 10 }, total };
/** NOTE: also for names that no account has, so that the limit tells nobody which exist. */
const ACCOUNT_LIMITS = { perAddress: { burst: 20, perSecond: 1 / 30 }, total };

const MAX_KNOWN = 10_000;

/** Checks passwords, and limits how many can be tried per address and per account. */
export class PasswordSignIn {
  readonly #storage: Pick<Storage, "db" | "transact">;
  readonly #perAddress = new AttemptLimiter(ADDRESS_LIMITS, tooManyAttempts);
  readonly #perAccount = new AttemptLimiter(ACCOUNT_LIMITS, tooManyAttempts);
  /** From where accounts were used: there, somebody else who guesses cannot lock the owner out. */
  readonly #known = new LRUCache<string, true>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });

  constructor(storage: Pick<Storage, "db" | "transact">) {
    this.#storage = storage;
  }

  /**
   * Finds the account with a user name or email address and a password. Takes as long for names that no account has.
   *
   * @param address IP address of the client
   * @throws {ApiError} 401 if they do not match; 429 after too many failures
   */
  async check(address: string, login: string, password: string): Promise<Account> {
    const network = networkOf(address);
    const name = login.trim().toLowerCase();
    const known = `${network} ${name}`;
    const refunds = [
      this.#perAddress.take(network, 1),
      ...(this.#known.has(known) ? [] : [this.#perAccount.take(name, 1)]),
    ];
    const account = await findLogin(this.#storage.db, name);
    const stored = account?.passwordHash ?? null;
    const isRight = await verifyPassword(password, stored);
    if (account === undefined || stored === null || !isRight || account.disabledAt !== null) {
      throw mismatch();
    }
    for (const refund of refunds) refund(1);
    this.#known.set(known, true);
    if (isOutdated(stored)) await this.#hashAgain(account, password);
    return account;
  }

  async #hashAgain({ id }: Account, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.#storage.transact((db) =>
      db.update(users).set({ passwordHash }).where(eq(users.id, id)),
    );
  }
}

function mismatch(): ApiError {
  return new ApiError(
    "PasswordMismatch",
    "The name and the password do not match: check both, or ask an admin for a link to choose a new password",
  );
}

function tooManyAttempts(retryAfterSeconds: number): ApiError {
  return new ApiError(
    "RateLimitError",
    `Too many attempts to sign in have failed: try again in ${retryAfterSeconds} s`,
    { headers: { "retry-after": String(retryAfterSeconds) } },
  );
}
