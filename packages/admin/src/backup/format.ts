// A backup is a gzip file of JSON lines: a header, the rows of each table in batches, and an end, without
// which it is incomplete. Rows are as PostgreSQL writes them, so both kinds of database can read them.

import { tryParseJson } from "flags-server-kit/neutral";
import { type Static, Type } from "typebox";
import { createCheck } from "../http/validation.ts";

export const FORMAT = "flags-admin-backup";
export const FORMAT_VERSION = 1;

const Header = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Integer({ minimum: 1 }),
  /** Version of the last migration of the database. */
  schemaVersion: Type.Integer({ minimum: 1 }),
  createdAt: Type.String(),
  /** Names of the tables, in an order in which their rows can be inserted. */
  tables: Type.Array(Type.String()),
  /** The last values of identity columns. */
  sequences: Type.Array(
    Type.Object({ table: Type.String(), column: Type.String(), last: Type.Integer() }),
  ),
});
export type Header = Static<typeof Header>;

const Rows = Type.Object({
  table: Type.String(),
  rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1 }),
});
const End = Type.Object({ end: Type.Literal(true), rows: Type.Integer() });

/** A line of a backup after the header. */
type Line = Static<typeof End> | Static<typeof Rows>;

/** The file is not a backup, is damaged or incomplete, or was written by a newer version. */
export class InvalidBackupError extends Error {
  override readonly name = "InvalidBackupError";
}

const isHeader = createCheck(Header);
const isLine = createCheck(Type.Union([Rows, End]));

/** @throws {InvalidBackupError} */
export function parseHeader(text: string | undefined): Header {
  const value = tryParseJson(text ?? "");
  if (!isHeader(value)) throw new InvalidBackupError("it is not a backup of flags-admin");
  if (value.version > FORMAT_VERSION) {
    throw new InvalidBackupError(
      "a newer version of flags-admin wrote it: restore it with that version",
    );
  }
  return value;
}

/** @throws {InvalidBackupError} */
export function parseLine(text: string): Line {
  const value = tryParseJson(text);
  if (!isLine(value)) throw new InvalidBackupError("it is damaged");
  return value;
}
