import { BACKUP } from "./backup.ts";
import type { Command } from "./command.ts";
import { CREATE_TOKEN } from "./create-token.ts";
import { CREATE_USER } from "./create-user.ts";
import { IMPORT } from "./import.ts";
import { RESET_PASSWORD } from "./reset-password.ts";
import { SETUP_CODE } from "./setup-code.ts";
import { SIGN_IN_LINK } from "./sign-in-link.ts";

/** All commands that use the database, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  SETUP_CODE,
  CREATE_USER,
  RESET_PASSWORD,
  SIGN_IN_LINK,
  CREATE_TOKEN,
  IMPORT,
  BACKUP,
];
