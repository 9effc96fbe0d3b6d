import { badData } from "../errors.ts";
import { type Database, databaseTime } from "../storage/database.ts";

/** The latest time of a schedule, from now. */
const MAX_DAYS = 366;

/**
 * Reads the time at which a request is to be applied.
 *
 * @throws {ApiError} if it is missing, malformed, in the past or too far in the future
 */
export async function readTime(db: Database, text: string | undefined): Promise<Date> {
  const path = "/body/scheduledAt";
  if (text === undefined) throw badData(path, "is missing");
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw badData(path, "must be a time in ISO 8601 with its offset");
  const now = await databaseTime(db);
  if (time.getTime() <= now.getTime()) throw badData(path, "must be in the future");
  if (time.getTime() > now.getTime() + MAX_DAYS * 86_400_000) {
    throw badData(path, `must be within ${MAX_DAYS} days`);
  }
  return time;
}
