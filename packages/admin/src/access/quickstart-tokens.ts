import type { Database } from "../storage/database.ts";
import { findTokens } from "./find-tokens.ts";

/** The tokens that `npm start` creates, as in the documentation. */
const QUICKSTART_TOKENS = [
  "*:*.demo-admin-token-for-this-machine-only",
  "*:development.demo-backend-token-local",
] as const;

/** Whether the database contains these public tokens, for example because it was moved to a server. */
export async function hasQuickstartTokens(db: Database): Promise<boolean> {
  const found = await findTokens(db, QUICKSTART_TOKENS);
  return found.length > 0;
}
