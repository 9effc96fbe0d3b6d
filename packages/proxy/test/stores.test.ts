// What every kind of store must do, with its real server. For buckets, see s3-store.test.ts, which has such a server.

import { afterAll, beforeAll, describe } from "vitest";
import { testStoreContract } from "./_store-contract.ts";
import type { StoreServer } from "./_store-server.ts";
import { STORE_KINDS } from "./_stores.ts";

const kinds = STORE_KINDS.filter(({ name }) => name !== "s3");

describe.each(kinds)("$name", ({ start }) => {
  let server: StoreServer;

  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  testStoreContract(() => server);
});
