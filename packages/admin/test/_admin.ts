import { buildApp } from "../src/app.ts";
import { apiTokens, sessions } from "../src/storage/schema/access.ts";
import { events } from "../src/storage/schema/events.ts";
import { installations } from "../src/storage/schema/installations.ts";
import { TABLES } from "../src/storage/schema/tables.ts";
import {
  applicationInstances,
  applications,
  featureUsage,
  featureUsageDays,
  unknownFlags,
  variantUsage,
  variantUsageDays,
} from "../src/storage/schema/usage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { asc, getTableName, gt, sql, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, expect } from "vitest";
import { ADMIN_TOKEN, collectErrors, listen, seed } from "./_service.ts";
import type { ErrorResponse } from "./_responses.ts";
import type { StorageSource } from "./_storages.ts";

interface ApiResponse<Body = unknown> {
  readonly status: number;
  readonly text: string;
  /** Parsed JSON; undefined if the response has no body. */
  readonly body: Body;
  readonly headers: Headers;
}

interface CallOptions {
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The service on a new storage, shared by all tests of a suite. */
interface Admin {
  readonly storage: Storage;
  readonly app: Awaited<ReturnType<typeof buildApp>>;
  /** Logged errors. No request may cause any. */
  readonly errors: unknown[];
  /**
   * Sends a request to a path below `/api/admin`. A text as body is sent unchanged, any other value as
   * JSON. `Body` is the type that the test expects, and is not checked.
   */
  call<Body>(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse<Body>>;
  /** Same as `call()`, but fails if the response has another status. */
  must<Body>(
    status: number,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<ApiResponse<Body>>;
  /** Sends a request that must fail with this error and change nothing. */
  refuse(
    expected: { readonly status: number; readonly name: string; readonly path?: string },
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse<ErrorResponse>>;
  /** Returns the events recorded during some work. */
  eventsOf(work: () => Promise<unknown>): Promise<RecordedEvent[]>;
}

type RecordedEvent = Omit<typeof events.$inferSelect, "actorId" | "createdAt" | "id">;

/** Starts the service before the tests of a suite, and stops it after them. */
export function useAdmin(source: StorageSource): Admin {
  let running: Awaited<ReturnType<typeof startAdmin>> | undefined;
  beforeAll(async () => {
    running = await startAdmin(await source.openFresh());
  });
  afterAll(() => running?.app.close());
  const get = () => {
    if (running === undefined) throw new Error("The service is available only while tests run");
    return running;
  };
  return {
    get storage() {
      return get().storage;
    },
    get app() {
      return get().app;
    },
    get errors() {
      return get().errors;
    },
    call: (...parameters) => get().call(...parameters),
    must: async <Body>(status: number, method: string, path: string, body?: unknown) => {
      const response = await get().call<Body>(method, path, body);
      expect([method, path, response.status, response.text]).toEqual([
        method,
        path,
        status,
        response.text,
      ]);
      return response;
    },
    refuse: async (expected, method, path, body, options) => {
      const before = await digestTables(get().storage);
      const response = await get().call<ErrorResponse>(method, path, body, options);
      expect(response.body, response.text).toMatchObject({
        id: expect.any(String),
        name: expected.name,
        message: expect.any(String),
        details: [
          {
            message: expect.any(String),
            ...(expected.path !== undefined && { path: expected.path }),
          },
        ],
      });
      expect(response.status).toBe(expected.status);
      expect(await digestTables(get().storage)).toEqual(before);
      return response;
    },
    eventsOf: (work) => eventsOf(get().storage, work),
  };
}

async function startAdmin(storage: Storage) {
  await seed(storage);
  const errors: unknown[] = [];
  const app = await buildApp({ logger: collectErrors(errors), maxConnections: 1000 }, storage);
  const { request } = await listen(app);
  const call: Admin["call"] = async (method, path, body, { token, headers } = {}) => {
    const response = await request(`/api/admin${path}`, {
      method,
      token: token === null ? undefined : (token ?? ADMIN_TOKEN),
      body,
      ...(headers !== undefined && { headers }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      status: response.status,
      text,
      body: text === "" || !isJson ? undefined : JSON.parse(text),
      headers: response.headers,
    };
  };
  return { storage, app, errors, call };
}

async function eventsOf(storage: Storage, work: () => Promise<unknown>): Promise<RecordedEvent[]> {
  const revision = await storage.revision();
  await work();
  const rows = await storage.db
    .select()
    .from(events)
    .where(gt(events.id, revision))
    .orderBy(asc(events.id));
  for (const row of rows) {
    expect(row.createdAt).toBeInstanceOf(Date);
    expect(row.actorId).toEqual(row.actorKind === "system" ? null : expect.any(String));
  }
  return rows.map(({ id: _id, createdAt: _createdAt, actorId: _actorId, ...event }) => event);
}

/** Tables that requests change although they change no definition. */
const CHANGED_BY_READING: readonly PgTable[] = [
  apiTokens,
  sessions,
  applicationInstances,
  applications,
  featureUsage,
  featureUsageDays,
  installations,
  unknownFlags,
  variantUsage,
  variantUsageDays,
];

const DIGESTED = TABLES.map(({ table }) => table).filter(
  (table) => !CHANGED_BY_READING.includes(table),
);

/**
 * Returns the number and a digest of the rows of each table, to detect changes. Computed by one statement
 * in the database, because hundreds of tests call this.
 */
export async function digestTables(storage: Storage): Promise<unknown> {
  const digests = DIGESTED.map((table) => digestRows(getTableName(table), sql`t::text`));
  // Not the whole rows of tokens and sessions, because requests change when these were last seen.
  digests.push(digestRows(getTableName(apiTokens), sql`t.id::text`));
  digests.push(digestRows(getTableName(sessions), sql`t.id_hash`));
  const result: unknown = await storage.db.execute(sql.join(digests, sql` union all `));
  const { rows } = result as { readonly rows: readonly { readonly table: string }[] };
  // PostgreSQL may evaluate the parts of the query in parallel.
  return rows.toSorted((a, b) => a.table.localeCompare(b.table));
}

function digestRows(table: string, text: SQL): SQL {
  return sql`
    select ${sql.raw(`'${table}'`)} as "table", count(*)::int as "rows",
      md5(string_agg(${text}, ',' order by ${text})) as digest
    from ${sql.identifier(table)} t`;
}
