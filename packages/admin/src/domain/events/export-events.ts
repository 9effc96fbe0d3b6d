import { and, inArray, lt } from "drizzle-orm";
import { events } from "../../storage/schema/events.ts";
import type { Storage } from "../../storage/storage.ts";
import {
  type EventFilter,
  type EventView,
  readPage,
  searchText,
  type SearchOptions,
  toCondition,
} from "./find-events.ts";

/** How many events are in memory at a time: as many as fit, and at least one. */
const PAGE = { offset: 0, limit: 200 };
const PAGE_BYTES = 1024 * 1024;

/**
 * Reads all matching events, newest first, page by page: others can use the database in between, and slow readers hold no
 * transaction. Events that are recorded meanwhile are not among them.
 *
 * @throws {ApiError} if a search for text takes too long
 */
export async function* readAllEvents(
  storage: Pick<Storage, "read">,
  { text, ...filter }: EventFilter,
  options: SearchOptions = {},
): AsyncGenerator<readonly EventView[]> {
  const condition = toCondition(filter);
  const found =
    text === undefined ? undefined : await searchText(storage, text, condition, options);
  let before: number | undefined;
  for (;;) {
    const ids = found?.filter((id) => before === undefined || id < before).slice(0, PAGE.limit);
    const page = and(
      condition,
      before === undefined ? undefined : lt(events.id, before),
      ids === undefined ? undefined : inArray(events.id, ids),
    );
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const rows = await storage.read((db) => readPage(db, page, { ...PAGE, maxBytes: PAGE_BYTES }));
    if (rows.length > 0) yield rows;
    before = rows.at(-1)?.id ?? ids?.at(-1);
    if (before === undefined || (rows.length === 0 && ids === undefined)) return;
  }
}

/** Writes events as a JSON document, in the form of the search. */
export async function* toJsonDocument(
  pages: AsyncIterable<readonly EventView[]>,
): AsyncGenerator<string> {
  let total = 0;
  yield '{"events":[';
  for await (const page of pages) {
    yield page
      .map((event, index) => `${total + index > 0 ? ",\n" : "\n"}${JSON.stringify(event)}`)
      .join("");
    total += page.length;
  }
  yield `\n],"total":${total}}\n`;
}

const COLUMNS = [
  "id",
  "createdAt",
  "type",
  "createdBy",
  "project",
  "featureName",
  "environment",
  "preData",
  "data",
  "tags",
] as const satisfies readonly (keyof EventView)[];

/** Lets spreadsheets recognize UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** Writes events as CSV (RFC 4180): states and tags as JSON. */
export async function* toCsvDocument(
  pages: AsyncIterable<readonly EventView[]>,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + toLine(COLUMNS);
  for await (const page of pages) {
    yield page.map((event) => toLine(COLUMNS.map((name) => toText(event[name])))).join("");
  }
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toLine(cells: readonly string[]): string {
  return `${cells.map((cell) => toCell(cell)).join(",")}\r\n`;
}

/** Spreadsheets take a text with such a beginning for a formula. */
const FORMULA = /^[\s\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u;

/** NOTE: names of flags, projects and authors are chosen by people, who must not be able to run formulas on another's machine. */
export function toCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
