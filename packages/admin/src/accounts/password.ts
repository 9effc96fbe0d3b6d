import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { ApiError, badData } from "../errors.ts";
import { isCommonPassword } from "./common-passwords.ts";

// As OWASP recommends for scrypt: 32 MiB, three times in a row. More memory at once would endanger small containers.
const COST_LOG2 = 15;
const BLOCK_SIZE = 8;
const PARALLELISM = 3;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const PARAMETERS = `ln=${COST_LOG2},r=${BLOCK_SIZE},p=${PARALLELISM}`;
const PHC = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

/** How many hashes are computed at a time. Each takes most of a second of one core. */
const MAX_RUNNING = 2;
/** How many wait for that. */
const MAX_WAITING = 50;

let running = 0;
const waiting: (() => void)[] = [];

/** @throws {ApiError} 503 if too many others are waiting */
async function runLimited<T>(compute: () => Promise<T>): Promise<T> {
  if (running >= MAX_RUNNING) {
    if (waiting.length >= MAX_WAITING) throw tooManySignIns();
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await compute();
  } finally {
    const next = waiting.shift();
    // The next one takes the place over.
    if (next === undefined) running -= 1;
    else next();
  }
}

function tooManySignIns(): ApiError {
  return new ApiError("OverloadError", "Too many people are signing in: try again in a moment", {
    headers: { "retry-after": "5" },
  });
}

interface Cost {
  readonly costLog2: number;
  readonly blockSize: number;
  readonly parallelism: number;
}

function derive(password: string, salt: Buffer, cost: Cost, length: number): Promise<Buffer> {
  const { costLog2, blockSize, parallelism } = cost;
  const N = 2 ** costLog2;
  const options = { N, r: blockSize, p: parallelism, maxmem: 256 * N * blockSize };
  return runLimited(
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize("NFKC"), salt, length, options, (error, key) => {
          if (error === null) resolve(key);
          else reject(error);
        });
      }),
  );
}

const CURRENT: Cost = { costLog2: COST_LOG2, blockSize: BLOCK_SIZE, parallelism: PARALLELISM };

/**
 * Hashes a password for storage, as a PHC string.
 *
 * @throws {ApiError} 503 if too many others are waiting
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, CURRENT, HASH_BYTES);
  return `$scrypt$${PARAMETERS}$${toText(salt)}$${toText(key)}`;
}

function toText(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

/** A hash that no password has, so that a sign-in takes as long for an account that does not exist. */
const NOBODY = `$scrypt$${PARAMETERS}$${toText(Buffer.alloc(SALT_BYTES))}$${toText(Buffer.alloc(HASH_BYTES))}`;

/**
 * Checks a password.
 *
 * @param stored what `hashPassword()` has returned; null for nobody, which takes as long
 * @throws {ApiError} 503 if too many others are waiting
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, costLog2, blockSize, parallelism, salt = "", hash = ""] =
    PHC.exec(stored ?? NOBODY) ?? [];
  const expected = Buffer.from(hash, "base64");
  const cost = {
    costLog2: Number(costLog2),
    blockSize: Number(blockSize),
    parallelism: Number(parallelism),
  };
  const key = await derive(
    password.slice(0, MAX_LENGTH),
    Buffer.from(salt, "base64"),
    cost,
    expected.length,
  );
  return stored !== null && timingSafeEqual(key, expected);
}

/** Whether a password should be hashed again, because its hash has other parameters. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(`$scrypt$${PARAMETERS}$`);
}

/** Returns what is wrong with a new password; undefined if nothing is. */
export function findPasswordProblem(
  password: string,
  names: readonly (string | null)[] = [],
): string | undefined {
  if (Array.from(password).length < MIN_LENGTH)
    return `must have at least ${MIN_LENGTH} characters`;
  if (password.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  const isName = names.some((name) => name?.toLowerCase() === password.toLowerCase());
  if (isName) return "must not be a name or an email address";
  if (isCommonPassword(password)) {
    return "is one of those that are guessed first: choose several words that do not belong together";
  }
  return undefined;
}

/** @throws {ApiError} 400 if a new password is too short or easy to guess */
export function checkNewPassword(
  password: string,
  names: readonly (string | null)[] = [],
  path = "/body/password",
): void {
  const problem = findPasswordProblem(password, names);
  if (problem !== undefined) throw badData(path, problem);
}
