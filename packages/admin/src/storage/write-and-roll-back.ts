import type { Actor } from "./events.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** Runs a change and rolls it back, to find out what it would do. */
export async function writeAndRollBack<Result>(
  storage: Storage,
  actor: Actor,
  work: (transaction: WriteTransaction) => Promise<Result>,
): Promise<Result> {
  const rollback = new Rollback();
  let result: { readonly value: Result } | undefined;
  try {
    await storage.write(actor, async (transaction) => {
      result = { value: await work(transaction) };
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  if (result === undefined) throw new TypeError("The change must have been rolled back");
  return result.value;
}

/** Thrown to roll back a transaction. */
class Rollback extends Error {
  override readonly name = "Rollback";
}
