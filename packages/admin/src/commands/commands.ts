import { BACKUP } from "./backup.ts";
import type { Command } from "./command.ts";
import { CREATE_TOKEN } from "./create-token.ts";

/** All commands that use the database, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [CREATE_TOKEN, BACKUP];
