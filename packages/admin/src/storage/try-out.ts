import { sql } from "drizzle-orm";
import type { WriteTransaction } from "./storage.ts";

/** Does a part of a change, and undoes it, to find out what it would do. */
export async function tryOut<Result>(
  { db }: Pick<WriteTransaction, "db">,
  work: () => Promise<Result>,
): Promise<Result> {
  await db.execute(sql`savepoint before_try`);
  const result = await work();
  await db.execute(sql`rollback to savepoint before_try`);
  return result;
}
